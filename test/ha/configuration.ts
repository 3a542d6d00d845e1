import { readFileSync } from 'node:fs'

const GUIDE = new URL('../../docs/guides/high-availability.md', import.meta.url)

/** The addresses of the guide, and those of a cluster on loopback that stand for them. */
export type Addresses = ReadonlyMap<string, string>

/** The block of the guide in `language`, with `replacements` for what it says. */
const blockOf = (language: string, replacements: Addresses): string => {
  const [, block] =
    new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readFileSync(GUIDE, 'utf8')) ?? []
  if (block === undefined) throw new Error(`The guide has no block of ${language}`)
  let text = block
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`The block of ${language} does not have ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** Ports of one node. */
export interface NodePorts {
  readonly postgres: number
  readonly patroni: number
}

const LOOPBACK = '127.0.0.1'

/** What Patroni reads on the node `name`, whose files are in `folder`. */
export const patroniConfiguration = (
  name: string,
  folder: string,
  { postgres, patroni, etcd }: NodePorts & { readonly etcd: number },
): string =>
  blockOf(
    'yaml',
    new Map([
      ['node1', name],
      ['10.0.0.1:8008', `${LOOPBACK}:${patroni}`],
      ['10.0.0.1:5432', `${LOOPBACK}:${postgres}`],
      ['10.0.0.11:2379', `${LOOPBACK}:${etcd}`],
      ['/var/lib/postgresql/15/iam', `${folder}/data`],
      ['/var/lib/postgresql/pgpass', `${folder}/pgpass`],
      ['/var/run/postgresql', folder],
    ]),
  )

/** What PgBouncer reads, whose files are in `folder`. */
export const pgbouncerConfiguration = (
  folder: string,
  { pooler, leader }: { readonly pooler: number; readonly leader: number },
): string =>
  blockOf(
    'ini',
    new Map([
      ['iam = host=10.0.0.20 port=5000', `postgres = host=${LOOPBACK} port=${leader}`],
      ['10.0.0.30', LOOPBACK],
      ['6432', String(pooler)],
      ['/etc/pgbouncer', folder],
    ]),
  )

/** What HAProxy reads. */
export const haproxyConfiguration = (
  nodes: readonly NodePorts[],
  { leader, standbys }: { readonly leader: number; readonly standbys: number },
): string =>
  blockOf(
    'haproxy',
    new Map([
      ['10.0.0.20:5000', `${LOOPBACK}:${leader}`],
      ['10.0.0.20:5001', `${LOOPBACK}:${standbys}`],
      ...nodes.map(({ postgres, patroni }, index): [string, string] => [
        `10.0.0.${index + 1}:5432 check port 8008`,
        `${LOOPBACK}:${postgres} check port ${patroni}`,
      ]),
    ]),
  )
