import { codeToString } from '@connectrpc/connect/protocol-connect'
import { httpStatusOf, type IamError, type StreamId, toStatus } from 'claviger'
import { fetchHandler, type TransportOptions } from 'claviger/transport'
import { callers, openIam } from '../../transport/host.js'

const object = { type: 'project', id: 'portal' } as const
const cause = new Error('of the host')

const event = {
  position: 1n,
  stream: 'project-acme+portal' as StreamId,
  version: 1,
  type: 'project.added',
  schemaVersion: 1,
  appendId: '01JGFJJZ00V6RM8DHQ4B000001',
}

/** One error of each kind that a method answers with. */
const errors: { readonly [Kind in IamError['kind']]: Extract<IamError, { kind: Kind }> } = {
  Cancelled: { kind: 'Cancelled' },
  InvalidArgument: { kind: 'InvalidArgument', violations: [] },
  NotFound: { kind: 'NotFound', object },
  AlreadyExists: { kind: 'AlreadyExists', object },
  PermissionDenied: { kind: 'PermissionDenied', permission: 'project.read', orgId: 'acme' },
  AccessDenied: { kind: 'AccessDenied', reasons: [], roleKeys: [] },
  SequenceMismatch: { kind: 'SequenceMismatch', expected: 1n, actual: 2n },
  Protected: { kind: 'Protected', managedBy: 'ops' },
  PlanOutdated: { kind: 'PlanOutdated', moved: [{ object, change: 'changed' }] },
  IdempotencyKeyReused: { kind: 'IdempotencyKeyReused', idempotencyKey: 'k' },
  ProjectInactive: { kind: 'ProjectInactive' },
  ProjectRoleRequired: { kind: 'ProjectRoleRequired' },
  ProjectGrantRequired: { kind: 'ProjectGrantRequired', userOrgId: 'globex' },
  Aborted: { kind: 'Aborted', attempts: 10 },
  UnknownEvent: { kind: 'UnknownEvent', ...event },
  CorruptEvent: { kind: 'CorruptEvent', ...event, field: 'data' },
  SecretUnreadable: { kind: 'SecretUnreadable', reason: 'tampered' },
  ProjectionFailed: { kind: 'ProjectionFailed', projection: 'p', type: 't', position: 1n, cause },
  SourceFailed: { kind: 'SourceFailed', index: 0, cause },
  Unavailable: { kind: 'Unavailable', outcome: 'unknown', cause },
  ProofNotFound: {
    kind: 'ProofNotFound',
    object: { type: 'domain', domain: 'example.com' },
    recordName: '_claviger-challenge.example.com',
  },
  NotConfigured: { kind: 'NotConfigured', option: 'domains.resolveTxt' },
  Unauthenticated: { kind: 'Unauthenticated' },
}

interface Refusal {
  readonly path: string
  readonly init?: RequestInit
  readonly options?: Partial<TransportOptions>
}

const PROJECTS = '/v1/projects'
const send = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
})

/** A request for each error that only the transport has. */
const refusals: readonly Refusal[] = [
  { path: '/nowhere' },
  { path: PROJECTS, init: { method: 'DELETE' } },
  { path: PROJECTS, init: send('<a/>', { 'content-type': 'text/xml' }) },
  { path: PROJECTS, init: send(' '.repeat(1024 * 1024 + 1)) },
  { path: PROJECTS, init: send('{}', { 'content-encoding': 'gzip' }) },
  {
    path: PROJECTS,
    init: { headers: { 'connect-timeout-ms': '1' } },
    options: { authenticate: () => new Promise(() => {}) },
  },
  {
    path: PROJECTS,
    options: {
      authenticate: () => {
        throw cause
      },
    },
  },
]

/** What an error is called, its code and its HTTP status. */
const rowOf = (status: number, { code, message, details }: ReturnType<typeof toStatus>): string => {
  const name = codeToString(code).replace('canceled', 'cancelled').toUpperCase()
  return `| \`${details[0]?.['reason']}\` | ${code} ${name} | ${status} | ${message} |`
}

const answerTo = async ({ path, init, options }: Refusal): Promise<string> => {
  const host = { authenticate: () => callers['admin'], onError: () => {}, ...options }
  const handler = fetchHandler(await openIam(), host)
  const answer = await handler(new Request(`http://localhost${path}`, init))
  return rowOf(answer.status, await answer.json())
}

/** Every error, its code in gRPC and gRPC-web, and its HTTP status in JSON. */
export const errorsTable = async (): Promise<string> => {
  const ofLibrary = Object.values(errors).map((error) =>
    rowOf(httpStatusOf(error), toStatus(error)),
  )
  const ofTransport: string[] = []
  for (const refusal of refusals) ofTransport.push(await answerTo(refusal))
  const head = ['| reason | code | HTTP status | message |', '|---|---|---|---|']
  return [...head, ...ofLibrary, ...ofTransport].join('\n')
}
