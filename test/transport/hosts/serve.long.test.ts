import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts the demo host on ports that are free, and answers what it prints. */
const serve = async (file: string): Promise<{ printed: string; stop: () => Promise<number> }> => {
  const host = spawn(process.execPath, ['docs/examples/serve.ts', file], {
    cwd: root,
    env: { ...process.env, HTTP_PORT: '0', GRPC_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number>((resolve) => host.once('exit', (code) => resolve(code ?? -1)))
  onTestFinished(() => void host.kill('SIGKILL'))
  let printed = ''
  for await (const chunk of host.stdout) {
    printed += chunk
    if (printed.includes('Ctrl+C')) break
  }
  const stop = () => {
    host.kill('SIGINT')
    return ended
  }
  return { printed, stop }
}

const linesIn = (printed: string) =>
  printed.split('\n').flatMap((line) => /^ {2}((?:curl|npx) .*)$/.exec(line)?.[1] ?? [])

it('The demo host prints lines that work, and keeps what they did', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-serve-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'demo.db')

  const { printed, stop } = await serve(file)
  const answers: unknown[] = []
  for (const line of linesIn(printed)) {
    const { stdout } = await execute('sh', ['-c', line], { cwd: root })
    answers.push(JSON.parse(stdout))
  }
  const details = expect.objectContaining({ resourceOwner: 'acme' })
  expect(answers).toEqual([
    { details, id: 'portal' },
    { details },
    { details, idpId: expect.any(String) },
    expect.objectContaining({ projects: [expect.objectContaining({ id: 'portal' })] }),
    expect.objectContaining({ projects: [expect.objectContaining({ id: 'portal' })] }),
    expect.objectContaining({ code: 7 }),
  ])
  expect(await stop()).toBe(0)

  const again = await serve(file)
  const list = linesIn(again.printed)[3] ?? ''
  const { stdout } = await execute('sh', ['-c', list], { cwd: root })
  expect(JSON.parse(stdout).totalSize).toBe(1)
  expect(await again.stop()).toBe(0)
})

it('git ignores the files of the demo host', async () => {
  const files = ['claviger-demo.db', 'claviger-demo.db-wal', 'claviger-demo.db-shm']
  const { stdout } = await execute('git', ['check-ignore', ...files], { cwd: root })
  expect(stdout.trim().split('\n')).toEqual(files)
})
