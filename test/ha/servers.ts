import { writeFileSync } from 'node:fs'
import { freePort } from '../postgres-server.ts'
import { haproxyConfiguration, type NodePorts, pgbouncerConfiguration } from './configuration.ts'
import { makeFolder } from './node.ts'
import { PROGRAMS } from './packages.ts'
import { type Program, program } from './program.ts'

/** A program that listens. */
export interface Server extends Program {
  readonly port: number
}

/** The store of who leads, with its files in `folder`. */
export const etcdIn = async (folder: string): Promise<Server> => {
  await makeFolder(folder)
  const [port, peerPort] = [await freePort(), await freePort()]
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const args = [
    ...['--data-dir', `${folder}/data`],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `default=${peer}`],
  ]
  return { port, ...program({ path: PROGRAMS.etcd, args, folder, log: 'etcd.log' }) }
}

/** Leads to the leader, `port`, and to standbys, `standbys`. */
export const haproxyIn = async (
  folder: string,
  nodes: readonly NodePorts[],
): Promise<Server & { readonly standbys: number }> => {
  await makeFolder(folder)
  const [port, standbys] = [await freePort(), await freePort()]
  const file = `${folder}/haproxy.cfg`
  writeFileSync(file, haproxyConfiguration(nodes, { leader: port, standbys }))
  // Without a process of its own for its work.
  const args = ['-db', '-f', file]
  return {
    port,
    standbys,
    ...program({ path: PROGRAMS.haproxy, args, folder, log: 'haproxy.log' }),
  }
}

/** Leads to the leader, at the port `leader`. */
export const pgbouncerIn = async (folder: string, leader: number): Promise<Server> => {
  await makeFolder(folder)
  const port = await freePort()
  const file = `${folder}/pgbouncer.ini`
  writeFileSync(file, pgbouncerConfiguration(folder, { pooler: port, leader }))
  writeFileSync(`${folder}/userlist.txt`, '"postgres" "secret-of-postgres"\n')
  return {
    port,
    ...program({ path: PROGRAMS.pgbouncer, args: [file], folder, log: 'pgbouncer.log' }),
  }
}
