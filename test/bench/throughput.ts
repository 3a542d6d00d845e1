import { Agent, createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { nodeHandler, ProjectRoleService } from 'claviger/transport'
import { addRows, type Report } from './report.ts'
import { memory } from './stores.ts'
import { PROJECT_ID, projectOf, roleOf } from './system.ts'
import { bind, CONTEXT } from './systems/claviger.ts'
import { type Job, runTimed } from './timed.ts'
import type { Scale } from './workloads.ts'

const REQUESTS = 10_000
const IN_FLIGHT = 16

/** Adding roles over HTTP as JSON, beside handlers that do nothing with what they are sent. */
export const throughput = async (report: Report, scale: Scale): Promise<void> => {
  const opened = await memory.open()
  const iam = bind(opened)
  await iam.projects.add(projectOf(0, 1), CONTEXT)
  const rpc = '/claviger.v1.ProjectRoleService/AddProjectRole'
  const rest = `/v1/projects/${PROJECT_ID}/roles`
  const whole = nodeHandler(iam, { authenticate: () => CONTEXT.caller })
  const bareConnect = connectNodeAdapter({
    routes: (router) => router.service(ProjectRoleService, { addProjectRole: () => ({}) }),
  })
  const servers = [
    await serve('claviger, REST as JSON', whole, rest),
    await serve('claviger, rpc as JSON', whole, rpc),
    await serve('bare Connect handler', bareConnect, rpc),
    await serve('bare Node.js handler', echo, rest),
  ]
  const requests = Math.round(REQUESTS * scale.share)
  let next = 0
  const measured = await runTimed(
    scale,
    servers.map(
      ({ name, send }): Job => ({
        name,
        operations: requests,
        run: async () => {
          let answered = 0
          let sent = 0
          const client = async () => {
            while (sent++ < requests) {
              await send(next++)
              answered++
            }
          }
          await Promise.all(Array.from({ length: IN_FLIGHT }, client))
          return answered
        },
        expected: requests,
      }),
    ),
  )
  for (const { close } of servers) close()
  await opened.close()
  addRows(
    report,
    `Transport, HTTP/1.1, ${IN_FLIGHT} in flight`,
    measured.map((each) => each.measured),
  )
}

/** A server of its own, and a client that adds the role of that index. */
const serve = async (name: string, handler: RequestListener, path: string) => {
  // Without a timeout: connections are idle while the others have their turns.
  const server = createServer({ keepAliveTimeout: 0 }, handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT })
  const headers = { 'content-type': 'application/json' }
  const send = async (index: number): Promise<void> => {
    const { projectId, ...role } = roleOf(index)
    const body = JSON.stringify(path.startsWith('/v1/') ? role : { projectId, ...role })
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ port, path, method: 'POST', agent, headers }, resolve)
        .once('error', reject)
        .end(body)
    })
    const text = await textOf(answer)
    if (answer.statusCode !== 200) throw new Error(`${name} answered ${answer.statusCode}: ${text}`)
  }
  return {
    name,
    send,
    close: () => {
      agent.destroy()
      server.close()
    },
  }
}

/** What any handler of JSON has to do. */
const echo: RequestListener = async (incoming, response) => {
  const body: unknown = JSON.parse(await textOf(incoming))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

const textOf = async (message: IncomingMessage): Promise<string> => {
  let text = ''
  message.setEncoding('utf8')
  for await (const chunk of message) text += chunk
  return text
}
