import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Status } from 'claviger'
import { type Client, headersOfAnswer, type OpenClient } from './client.js'
import { withMillisecondsOf } from './milliseconds.js'
import { detailOf, protoFolder } from './rpc-status.js'

const buf = fileURLToPath(new URL('../../../node_modules/.bin/buf', import.meta.url))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const run = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) =>
    execFile(buf, args, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  )

/** The client that buf itself is, with the .proto files as its schema. */
export const bufCurlClient =
  (protocol: 'grpc' | 'grpcweb'): OpenClient =>
  async ({ http, http2 }): Promise<Client> => {
    const origin = protocol === 'grpc' ? http2 : http
    return {
      call: async ({ rpc, request, headers }) => {
        const ended = await run([
          ...['curl', '--schema', protoFolder, '--protocol', protocol, '--emit-defaults', '-v'],
          ...(protocol === 'grpc' ? ['--http2-prior-knowledge'] : []),
          ...Object.entries(headers).flatMap(([name, value]) => [
            '-H',
            commaSeparated(`${name}: ${value}`),
          ]),
          ...['-d', JSON.stringify(request), `${origin}/${rpc}`],
        ])
        const answered = headersOfAnswer((name) => headerIn(ended.stderr, name))
        return ended.code === 0
          ? { response: withMillisecondsOf(JSON.parse(ended.stdout)), ...answered }
          : { error: errorIn(ended.stderr), ...answered }
      },
      close: async () => {},
    }
  }

/** A header is one cell of a line of comma-separated values. */
const commaSeparated = (header: string): string => `"${header.replaceAll('"', '""')}"`

/** `-v` writes what was received as `buf: < name: value`. */
const headerIn = (output: string, name: string): string | undefined =>
  new RegExp(`^buf: < (?:\\(#\\d+\\) )?${name}: (.*)$`, 'im').exec(output)?.[1]?.trim()

const errorIn = (output: string): Status => {
  const json = output.slice(output.search(/^\{/m))
  const { code, message, details } = JSON.parse(json)
  return { code: CODES.indexOf(code), message, details: details.map(statusDetail) }
}

const statusDetail = ({ type, value }: { type: string; value: string }) =>
  detailOf(`type.googleapis.com/${type}`, Buffer.from(value, 'base64'))

const CODES = [
  ...['ok', 'canceled', 'unknown', 'invalid_argument', 'deadline_exceeded', 'not_found'],
  ...[
    'already_exists',
    'permission_denied',
    'resource_exhausted',
    'failed_precondition',
    'aborted',
  ],
  ...['out_of_range', 'unimplemented', 'internal', 'unavailable', 'data_loss', 'unauthenticated'],
]
