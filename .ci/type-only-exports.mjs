// Marks in the declarations of `dist` what the sources export as types alone. Their bundler leaves that out where a
// name is a type and a value at once, such as a schema that is not public: programs would compile, and not start.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = resolve(import.meta.dirname, '..')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** An alias has the files of another entry, which are marked once. */
const entries = new Map(
  Object.values(exports).flatMap((entry) => (entry.types ? [[entry.types, entry]] : [])),
)
for (const entry of entries.values()) {
  const values = new Set(Object.keys(await import(pathToFileURL(join(root, entry.default)))))
  const mark = (specifier) =>
    values.has(specifier.trim().split(' as ').at(-1))
      ? specifier
      : specifier.replace(/\S/, 'type $&')
  const file = join(root, entry.types)
  const marked = readFileSync(file, 'utf8').replace(
    /^export \{(.*)\}/gm,
    (_, names) => `export {${names.split(',').map(mark).join(',')}}`,
  )
  writeFileSync(file, marked)
}
