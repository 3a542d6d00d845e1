import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { errorsTable } from './transport-guide/errors-table.js'
import { pathsTable } from './transport-guide/paths-table.js'

const reference = fileURLToPath(new URL('../../docs/reference/wire.md', import.meta.url))

/** The page with a table between the marks of its name. */
const withTable = (page: string, name: string, table: string): string => {
  const [before, rest] = page.split(`<!-- ${name} -->\n`)
  const [, after] = rest?.split(`<!-- end of ${name} -->`) ?? []
  if (after === undefined) throw new Error(`The page has no marks of ${name}`)
  return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- end of ${name} -->${after}`
}

// `npx vitest run test/docs/transport-guide.test.ts -u` writes what has changed into the page.
it('The reference has every path and every error, as they are served', async () => {
  const page = await readFile(reference, 'utf8')
  const withPaths = withTable(page, 'paths', await pathsTable())
  const withBoth = withTable(withPaths, 'errors', await errorsTable())
  await expect(withBoth).toMatchFileSnapshot(reference)
})
