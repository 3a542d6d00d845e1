import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

const markdownIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(join(root, folder), { recursive: true }))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file))

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...(await markdownIn('docs')),
  // What the tests of runtimes install has documents of its own.
  ...(await markdownIn('test')).filter(
    (file) => /README\.md$/.test(file) && !/node_modules/.test(file),
  ),
]

/** The text of each document, by its path. */
export const texts: ReadonlyMap<string, string> = new Map(
  await Promise.all(
    documents.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const),
  ),
)
