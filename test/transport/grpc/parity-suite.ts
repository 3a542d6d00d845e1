import { type Iam, toJson } from 'claviger'
import { nodeHandler } from 'claviger/transport'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium } from '../../chromium.js'
import { type Answer, answerInProcess } from '../call.js'
import type { Case } from '../cases/case.js'
import { cases } from '../cases.js'
import { bufCurlClient } from '../clients/buf-curl.js'
import { chromiumClient } from '../clients/chromium.js'
import type { Client, OpenClient } from '../clients/client.js'
import { connectGrpcClient, grpcWebClient } from '../clients/connect.js'
import { fetchHandlerClient } from '../clients/fetch-handler.js'
import { grpcJsClient } from '../clients/grpc-js.js'
import { restClient, rpcJsonClient } from '../clients/rest.js'
import { callers, openIam, transportOptions } from '../host.js'
import { openServers, type Servers } from '../servers.js'

type Clients = Readonly<Record<string, OpenClient>>

/** A client of each protocol that the others build on. */
export const FIRST_CLIENTS: Clients = {
  'JSON on REST paths, with fetch': restClient,
  'JSON on the path of the rpc, with fetch': rpcJsonClient,
  'gRPC, with @grpc/grpc-js and the .proto files': grpcJsClient,
}

/** They start a program for each call, and other clients make all of the calls. */
export const SLOW_CLIENTS: Clients = {
  'gRPC, with buf curl': bufCurlClient('grpc'),
  'gRPC-web, with buf curl': bufCurlClient('grpcweb'),
}

/** Clients of protocols that one of the first speaks in full. */
export const OTHER_CLIENTS: Clients = {
  'JSON on REST paths, in a host with the interface of fetch': fetchHandlerClient,
  'gRPC-web, with connect-node': grpcWebClient,
  'gRPC, with connect-node': connectGrpcClient,
  ...(hasChromium() && { 'gRPC-web, with connect-web in Chromium': chromiumClient }),
}

/** What every object of every organization went through. */
const historyOf = async (iam: Iam) => {
  const caller = callers['admin']
  const lists = ['acme', 'globex'].map((orgId) => iam.history.list({}, { caller, orgId }))
  return (await Promise.all(lists)).map((list) => toJson(list._unsafeUnwrap().items))
}

const answersInProcess = async ({ calls, store, throws }: Case) => {
  const iam = await openIam(store)
  if (throws) return { answers: [throws.answer], history: await historyOf(iam) }
  const answers = []
  for (const call of calls) answers.push(await answerInProcess(iam, call))
  return { answers, history: await historyOf(iam) }
}

/** On the network, an error that the host is told of has the id under which it was told. */
const withCorrelationId = (answer: Answer, correlationId: string | undefined): Answer => {
  const { error } = answer
  if (!error || correlationId === undefined) return answer
  const [info, ...others] = error.details
  const metadata = Object.assign({}, info?.['metadata'], { correlationId })
  const details = [{ '@type': '', ...info, metadata }, ...others]
  return { ...answer, error: { ...error, details } }
}

/** In JSON, clients of protobuf write the list even when it is empty. */
const withoutEmptyWarnings = (answer: Answer): Answer =>
  JSON.parse(JSON.stringify(answer), (name, value) =>
    name === 'warnings' && Array.isArray(value) && value.length === 0 ? undefined : value,
  )

/** A case for each HTTP status. */
export const oneForEachStatus: readonly Case[] = [
  ...new Map(cases.map((found) => [found.httpStatus, found])).values(),
]

/** Each of the clients is answered as a call in the same process is. */
export const paritySuite = (clients: Clients, made: readonly Case[]): void =>
  describe.for(Object.entries(clients))('%s', ([, open]) => {
    let servers: Servers
    let client: Client

    beforeAll(async () => {
      servers = await openServers()
      client = await open(servers)
    })
    afterAll(async () => {
      await client.close()
      await servers.close()
    })

    it.for(made.map((found) => [found.name, found] as const))('%s', async ([, found]) => {
      const opened = await openIam(found.store)
      const iam = found.throws ? found.throws.iam(opened) : opened
      const { options, failures } = transportOptions()
      servers.handler = nodeHandler(iam, options)
      const expected = await answersInProcess(found)

      const answers = []
      let httpStatus: number | undefined
      for (const call of found.calls) {
        const { httpStatus: status, ...answer } = await client.call(call, { iam, options })
        answers.push(withoutEmptyWarnings(answer))
        httpStatus = status
      }

      const { correlationId } = failures[0]?.failure ?? {}
      const told = expected.answers.map((answer) => withCorrelationId(answer, correlationId))
      expect(answers).toEqual(told)
      expect(await historyOf(iam)).toEqual(expected.history)
      if (httpStatus !== undefined) expect(httpStatus).toBe(found.httpStatus)
      expect(failures.length).toBe(found.httpStatus >= 500 ? 1 : 0)
    })
  })
