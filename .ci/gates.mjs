// Checks the package as it would be published: `npm run gates`, after `npm run build`.
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const packed = join(root, 'reports/packed')
rmSync(packed, { recursive: true, force: true })
mkdirSync(packed, { recursive: true })

const run = (command, ...parameters) => {
  const begin = Date.now()
  const options = { cwd: root, maxBuffer: 2 ** 28 }
  return new Promise((resolve) => {
    execFile(command, parameters, options, (error, stdout, stderr) => {
      resolve({
        isFine: error === null,
        output: `${stdout}${stderr}`,
        milliseconds: Date.now() - begin,
      })
    })
  })
}

const own = (name) => join(root, '.ci', name)
const bin = (name) => own(join('published/node_modules/.bin', name))
const node = process.execPath
const knip = own('published/knip.jsonc')

/** Most bytes of the package as it is downloaded. The assets of the console, in three forms, are 200,000 of them. */
const MAX_PACKED = 1_000_000

const gates = [
  [
    'packs, in at most 1 MB',
    async () => {
      const packing = await run('npm', 'pack', '--ignore-scripts', '--pack-destination', packed)
      const size = readdirSync(packed).reduce(
        (sum, name) => sum + statSync(join(packed, name)).size,
        0,
      )
      return size <= MAX_PACKED ? packing : { ...packing, isFine: false, output: `${size} bytes\n` }
    },
  ],
  ['reference: every link leads somewhere', () => run('npm', 'run', '--silent', 'docs')],
  ['API reports', () => run(node, own('published/api-reports.mjs'))],
  ['clients of two generators', () => run(node, join(root, 'test/clients/run.mjs'))],
  ['publint', () => run(bin('publint'), '--strict')],
  [
    'are the types wrong',
    () => run(bin('attw'), '--profile', 'esm-only', join(packed, readdirSync(packed)[0])),
  ],
  ['knip: no dead exports or dependencies', () => run(bin('knip'), '--config', knip)],
  [
    'knip: nothing published that only tests use',
    () => run(bin('knip'), '--production', '--config', knip),
  ],
  ['sizes within budget', () => run(node, own('sizes.mjs'))],
  ['SBOM', () => run(node, own('sbom.mjs'))],
  ['licences', () => run(node, own('licences.mjs'))],
  ['audit', () => run(node, own('audit.mjs'))],
]

let areFine = true
const check = async ([name, gate]) => {
  const { isFine, output, milliseconds } = await gate()
  areFine &&= isFine
  console.log(`${isFine ? 'ok    ' : 'FAILED'} ${name} (${milliseconds} ms)`)
  const isLoud = !isFine || output.includes('NOT CHECKED')
  if (isLoud) console.log(output.replaceAll(/^/gm, '       '))
}

// Others look at what the first has packed; two at a time, those that take longest first.
const [first, ...others] = gates
await check(first)
const queue = others.values()
const work = async () => {
  for (const gate of queue) await check(gate)
}
await Promise.all([work(), work()])
process.exitCode = areFine ? 0 : 1
