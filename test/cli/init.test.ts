import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { claviger, ownFolder, shell, start } from './command-line.js'

const root = resolve(import.meta.dirname, '../..')

/** A folder in which the package is installed. */
const project = async (): Promise<string> => {
  const folder = ownFolder()
  await mkdir(join(folder, 'node_modules'))
  await symlink(root, join(folder, 'node_modules/claviger'))
  return folder
}

it('writes a server that guards a route and serves the console', async () => {
  const folder = await project()
  const { code, out } = await shell('claviger init', { cwd: folder })
  expect([code, out]).toEqual([0, 'access.ts\niam.ts\nmain.ts\n'])

  for (const attempt of ['the first start', 'another start']) {
    const running = start(process.execPath, ['main.ts'], { cwd: folder, env: { PORT: '0' } })
    const [address = ''] = (await running.first()).split('?')
    const statusOf = async (path: string) => (await fetch(`${address}${path}`)).status
    const statuses = [
      await statusOf('?user=ada'),
      await statusOf('?user=bob'),
      await statusOf('admin/'),
    ]
    expect(statuses, attempt).toEqual([200, 403, 200])
    running.child.kill('SIGTERM')
    await once(running.child, 'close')
  }
})

it('replaces no file', async () => {
  const folder = ownFolder()
  await writeFile(join(folder, 'iam.ts'), 'mine')
  const { code, notes } = await claviger('init', folder)
  expect([code, notes]).toEqual([1, 'claviger: iam.ts would be replaced\n'])
  expect(await readdir(folder)).toEqual(['iam.ts'])
  expect(await readFile(join(folder, 'iam.ts'), 'utf8')).toBe('mine')
})
