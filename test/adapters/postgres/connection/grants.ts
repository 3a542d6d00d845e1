import { readFileSync } from 'node:fs'

const guide = new URL('../../../../docs/guides/postgresql.md', import.meta.url)

const [, found] = /```sql\n-- The runtime role\n(.*?)```/s.exec(readFileSync(guide, 'utf8')) ?? []

/** What the guide grants to the role `claviger_runtime`. */
export const grants: string =
  found ??
  (() => {
    throw new Error('The guide shows no grants')
  })()
