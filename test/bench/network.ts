import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Operation, Protocol } from './network/calls.ts'
import type { Load } from './network/client.ts'
import { addRatio, addRows, type Report } from './report.ts'
import { type Measured, type Runner, takeTurns, timesAsFast } from './rounds.ts'
import type { Scale } from './workloads.ts'

/** Seconds of a round, at full length. */
const SECONDS = 10

/** Long enough that the code of a server is compiled. */
const WARM_UP_SECONDS = 8

const WORKLOADS: readonly (readonly [Protocol, Operation, target: number])[] = [
  ['rest', 'post', 0.8],
  ['rest', 'get', 0.8],
  ['connect', 'post', 0.9],
  ['grpc', 'post', 0.9],
]

const BARE: Readonly<Record<Protocol, string>> = {
  rest: 'Fastify and zod',
  connect: 'ConnectRPC',
  grpc: 'ConnectRPC',
}

/** Workload H: calls over the network, against a server that does nothing but parse and answer the same. */
export const network = async (report: Report, { share }: Scale): Promise<void> => {
  const seconds = Math.max(1, SECONDS * share)
  for (const [protocol, operation, target] of WORKLOADS) {
    const start = (server: 'claviger' | 'bare') =>
      runner(server, { protocol, operation, port: 0, seconds })
    const runners = [await start('claviger'), await start('bare')]
    const measured = await takeTurns(runners, { rounds: 3, warmUps: 0 })
    const name = `H network, ${protocol} ${operation}`
    addRows(report, name, measured)
    const [own, bare] = measured as [Measured, Measured]
    addRatio(report, `${name} / bare ${BARE[protocol]}`, {
      measured: timesAsFast(own, bare),
      target,
    })
  }
}

/** A server that is called by a client, each in a process of its own. */
const runner = async (server: 'claviger' | 'bare', load: Load): Promise<Runner> => {
  const { protocol } = load
  const served = fork(new URL('./network/server.ts', import.meta.url), [server, protocol])
  const client = fork(new URL('./network/client.ts', import.meta.url))
  const [port] = await once(served, 'message')
  const callsIn = async (seconds: number): Promise<number> => {
    client.send({ ...load, port, seconds })
    const [calls] = await once(client, 'message')
    return Number(calls)
  }
  await callsIn(WARM_UP_SECONDS)
  return {
    name: server === 'claviger' ? 'claviger' : `bare ${BARE[protocol]}`,
    run: async () => (load.seconds * 1e9) / (await callsIn(load.seconds)),
    end: async () => {
      await Promise.all([served, client].map(ended))
    },
  }
}

const ended = async (process: ChildProcess): Promise<void> => {
  process.disconnect()
  await once(process, 'exit')
}
