// `node test/runtimes/run.ts`, after `npm run build`: packs the package, installs it into an empty folder and has every
// runtime run the smoke suite on it. Prints what each did; fails when one did otherwise, or did not end in time. What
// cannot be had here is reported as SKIPPED, and fails only when CI_RUNTIMES=all. With `--here`, as in `.ci/run`, it
// installs no runtimes and skips those that are not there.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import {
  addPrograms,
  addSignIn,
  pack,
  RESOLUTIONS,
  root,
  run,
  temporaryFolder,
  typeCheck,
} from './host-folder.ts'
import { answersOfWorker } from './worker-answers.ts'

const here = import.meta.dirname
const installed = (path: string): string => join(here, 'node_modules', path)
const requireHere = createRequire(join(here, 'package.json'))
const rows: { readonly name: string; readonly verdict: string }[] = []
/** The programs, and what they print when all is well. */
const PROGRAMS = [
  ['esm.mjs', /^memory: .*^SQLite: /ms],
  ['cjs.cjs', /^memory: .*^SQLite: /ms],
  ['oidc.mjs', /^signed in: ann/],
  ['oidc.cjs', /^signed in: ann/],
] as const

const note = (name: string, isFine: boolean | undefined, output = ''): void => {
  const verdict = isFine === undefined ? 'SKIPPED' : isFine ? 'ok' : 'FAILED'
  rows.push({ name, verdict })
  console.log(`${verdict.padEnd(8)} ${name}`)
  if (!isFine) console.log(output.trim().replaceAll(/^/gm, '         '))
}

/** Warnings that a runtime has about itself; on Node.js 22 that SQLite is new. */
const isQuiet = (stderr: string): boolean =>
  stderr.replaceAll(/^.*ExperimentalWarning: SQLite.*\n(\(Use .*\n)?/gm, '').trim() === ''

const onCommand = async (
  name: string,
  [command, ...parameters]: readonly [string, ...string[]],
  folder: string,
): Promise<void> => {
  if (!existsSync(command)) return note(name, undefined, `${command} is not there`)
  for (const [file, expected] of PROGRAMS) {
    const { code, stdout, stderr } = await run(command, [...parameters, file], { cwd: folder })
    const isFine = code === 0 && isQuiet(stderr) && expected.test(stdout)
    note(`${name}, ${file}`, isFine, stdout + stderr)
  }
}

const install = async (): Promise<void> => {
  if (process.argv.includes('--here') || existsSync(installed('miniflare'))) return
  const { code, stderr } = await run('npm', ['ci', '--no-fund', '--no-audit'], {
    cwd: here,
    timeout: 600_000,
  })
  if (code !== 0) throw new Error(stderr)
}

const installPackage = async (folder: string): Promise<void> => {
  const tarball = await pack(folder)
  const begin = Date.now()
  for (const parameters of [
    ['init', '-y'],
    ['install', tarball],
    // The optional peer of sign-in, in the oldest version of its range.
    ['install', 'openid-client@6.9.0'],
  ]) {
    const { code, stdout, stderr } = await run('npm', parameters, { cwd: folder })
    // npm warns of what is in the configuration of whoever runs this.
    const isFine = code === 0 && !/^npm (warn|error) (?!Unknown \w+ config)/m.test(stderr)
    note(`npm ${parameters[0]}`, isFine, stdout + stderr)
  }
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? []
  // Of a store in which nothing is recorded.
  const asking = "await approve('ada', 'acme').catch((failure) => console.log(failure.message))"
  await writeFile(join(folder, 'first.mts'), `${example}\n${asking}\n`)
  const { code, stdout, stderr } = await run(process.execPath, ['first.mts'], { cwd: folder })
  const isFine = code === 0 && stderr === '' && stdout.includes('ProjectNotFound')
  note(
    `the first example of the README, ${Date.now() - begin} ms after npm init`,
    isFine,
    stdout + stderr,
  )
  // What the consumer in TypeScript needs, and no version of ours.
  await run('npm', ['install', '--no-save', '@types/node@24.19.2'], { cwd: folder })
}

const bundled = async (entry: string, format: 'esm' | 'iife'): Promise<string> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    // The optional peers, which the folder does without.
    nodePaths: [join(root, 'node_modules')],
    bundle: true,
    write: false,
    format,
    platform: 'browser',
    target: 'es2022',
    metafile: true,
  })
  if (Object.keys(metafile.inputs).length < 5) throw new Error('The bundle is empty')
  return outputFiles[0]?.text ?? ''
}

const onWorkerd = async (script: string): Promise<void> => {
  const { Miniflare } = requireHere('miniflare')
  const worker = `${script}
    addEventListener('fetch', (event) => {
      const name = new URL(event.request.url).searchParams.get('name')
      event.respondWith((name ? globalThis.rename(name) : globalThis.smoke()).then(
        (lines) => new Response(lines.join('\\n')),
        (error) => new Response(String(error?.stack), { status: 500 })))
    })`
  const miniflare = new Miniflare({ script: worker, compatibilityDate: '2026-07-01' })
  try {
    const answer = async (query = ''): Promise<string> => {
      const response = await miniflare.dispatchFetch(`http://localhost/${query}`)
      return `${response.status} ${await response.text()}`
    }
    const text = await answer()
    note('workerd', text.startsWith('200 memory: '), text)
    const rename = (name: string): Promise<string> => answer(`?name=${name}`)
    const renamed = [await rename('a'), ...(await Promise.all(['b', 'c', 'd', 'e'].map(rename)))]
    const isFine = String([...renamed, await rename('f')]) === '200 a,200 b,200 c,200 d,200 e,200 f'
    note('workerd, requests that write one object together', isFine, renamed.join('\n'))
  } finally {
    await miniflare.dispose()
  }
}

const onWorkerdOnce = async (script: string): Promise<void> => {
  const { Miniflare } = requireHere('miniflare')
  const worker = `${script}
    addEventListener('fetch', (event) => event.respondWith(globalThis.smoke().then(
      (lines) => new Response(lines.join('\\n')),
      (error) => new Response(String(error?.stack), { status: 500 }))))`
  const miniflare = new Miniflare({ script: worker, compatibilityDate: '2026-07-01' })
  try {
    const text = await (await miniflare.dispatchFetch('http://localhost/')).text()
    note('workerd, sign-in', text.startsWith('signed in: ann'), text)
  } finally {
    await miniflare.dispose()
  }
}

const onWorker = async (script: string): Promise<void> => {
  const { Miniflare } = requireHere('miniflare')
  const miniflare = new Miniflare({ script, modules: true, compatibilityDate: '2026-07-01' })
  try {
    const send = (path: string, init: object) =>
      miniflare.dispatchFetch(`http://localhost${path}`, init)
    for (const [what, answered, isFine] of await answersOfWorker(send))
      note(`workerd, the worker of the guide: ${what}`, isFine, answered)
  } finally {
    await miniflare.dispose()
  }
}

const onChromium = async (script: string): Promise<void> => {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell'
  if (!existsSync(executablePath))
    return note('Chromium', undefined, `${executablePath} is not there`)
  const { chromium } = requireHere('playwright-core')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage()
    // WebCrypto is for secure contexts: a page of localhost.
    await page.route('**/*', (route: { fulfill: (response: object) => unknown }) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>smoke</title>' }),
    )
    await page.goto('http://localhost/')
    await page.addScriptTag({ content: script })
    const lines = await page.evaluate('globalThis.smoke()')
    note(
      `Chromium ${browser.version()}`,
      lines[0]?.startsWith('memory: ') ?? false,
      lines.join('\n'),
    )
  } finally {
    await browser.close()
  }
}

/** Longest time of one step, in milliseconds. */
const STEP_MS = 240_000

/** Notes a failure of a step, and one that does not end. */
const guarded = async (name: string, work: () => Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`It did not end within ${STEP_MS / 1000} s`)
    timer = setTimeout(reject, STEP_MS, error)
  })
  try {
    await Promise.race([work(), late])
  } catch (error) {
    note(name, false, error instanceof Error ? error.stack : String(error))
  } finally {
    clearTimeout(timer)
  }
}

await install()
const { path: folder, dispose } = await temporaryFolder()
try {
  await guarded('npm install', () => installPackage(folder))
  await addPrograms(folder)
  await addSignIn(folder)
  const commands: readonly (readonly [string, readonly [string, ...string[]]])[] = [
    [`Node.js ${process.versions.node}`, [process.execPath]],
    ['Node.js 22.13', [installed('node22/bin/node')]],
    ['Node.js 26', [installed('node26/bin/node')]],
    ['Bun', [installed('bun/bin/bun.exe')]],
    ['Deno', [installed('deno/deno'), 'run', '--allow-all']],
  ]
  for (const [name, command] of commands)
    await guarded(name, () => onCommand(name, command, folder))
  for (const resolution of RESOLUTIONS) {
    const name = `TypeScript, moduleResolution ${resolution.moduleResolution}`
    await guarded(name, async () => {
      const objections = await typeCheck(folder, resolution)
      note(name, objections === '', objections)
    })
  }
  const bundle = (file: string, format: 'esm' | 'iife') => bundled(join(folder, file), format)
  await guarded('workerd', async () => onWorkerd(await bundle('web.mjs', 'iife')))
  await guarded('workerd, sign-in', async () => onWorkerdOnce(await bundle('web-oidc.mjs', 'iife')))
  await guarded('the worker of the guide', async () => onWorker(await bundle('worker.mjs', 'esm')))
  await guarded('Chromium', async () => onChromium(await bundle('web.mjs', 'iife')))
} finally {
  await dispose()
}

const count = (verdict: string): number => rows.filter((row) => row.verdict === verdict).length
console.log(`${count('ok')} ok, ${count('FAILED')} failed, ${count('SKIPPED')} SKIPPED`)
const mustHaveAll = process.env['CI_RUNTIMES'] === 'all'
// A step that did not end still holds the process.
process.exit(count('FAILED') > 0 || (mustHaveAll && count('SKIPPED') > 0) ? 1 : 0)
