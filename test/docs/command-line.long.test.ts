import { copyFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasPython, PYTHON } from '../application/evidence/python.js'
import { claviger, ownFolder, shell } from '../cli/command-line.js'

const docs = resolve(import.meta.dirname, '../../docs')

/** A block of shell, and the text of the block that follows, which is what it prints. */
interface Example {
  readonly script: string
  readonly printed: string | undefined
}

const examplesIn = (document: string): readonly Example[] => {
  const text = readFileSync(join(docs, document), 'utf8')
  const blocks = text.matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)
  return [...blocks].map(([, script = '', printed]) => ({ script, printed }))
}

/** What differs from run to run: positions, times, versions of what is below. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/\b\d{16}\b/g, 'POSITION')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?<=^(node|claviger) +|SQLite )[\d.]+$/gm, 'VERSION')

/** What does not end by itself gets a second, on a port that is free. */
const SET_UP = `set -e
python3() { ${PYTHON} "$@"; }
endless() { local code=0; timeout -s INT 1 "${process.execPath}" "$PROGRAM" "$@" || code=$?; [ $code = 124 ]; }
npx() {
  case "$*" in
    *--follow*) endless "\${@:2}" ;;
    *serve*) endless "\${@:2}" --port 0 >/dev/null ;;
    *) "$@" ;;
  esac
}`

/** Runs the examples of a document one after the other, as a reader would; what each printed. */
const runAll = async (examples: readonly Example[], folder: string): Promise<readonly string[]> => {
  const scripts = examples.map(({ script }) => `${script}\necho "=== done"`)
  const script = [SET_UP, ...scripts].join('\n')
  const { code, out, notes } = await shell(script, { cwd: folder })
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  return out.split('=== done\n')
}

const compare = async (document: string, folder: string): Promise<void> => {
  const examples = examplesIn(document)
  const printed = await runAll(examples, folder)
  expect(examples.filter((example) => example.printed !== undefined).length).toBeGreaterThan(1)
  for (const [index, { printed: expected }] of examples.entries())
    if (expected !== undefined)
      expect(withoutChance(printed[index] ?? '')).toBe(withoutChance(expected))
}

describe('The guide of the command line', () => {
  it('has examples that print what it says', async () => {
    await compare('guides/command-line.md', ownFolder())
  })
})

describe.runIf(hasPython())('The guide of tamper evidence', () => {
  it('has examples in the shell that print what it says, one in another language', async () => {
    const folder = ownFolder()
    const access =
      '{"projects":[{"id":"portal","name":"Portal","roles":[{"roleKey":"a","displayName":"A"}]}]}'
    await shell(`echo '${access}' >access.json`, { cwd: folder })
    const parameters = ['--org', 'acme', '--create', '--db', join(folder, 'iam.db')]
    expect((await claviger('apply', join(folder, 'access.json'), ...parameters)).code).toBe(0)
    copyFileSync(join(docs, 'examples/verify-log.py'), join(folder, 'verify-log.py'))
    await compare('guides/tamper-evidence.md', folder)
  })

  it('has a program in Python of at most 80 lines', () => {
    const program = readFileSync(join(docs, 'examples/verify-log.py'), 'utf8')
    expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(80)
  })
})
