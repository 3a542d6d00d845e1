/** What is sent, and what of the answer must be as expected. */
type Sent = readonly [what: string, path: string, expected: RegExp, type?: string, body?: string]

/** An answer as text is its status, a space, and its body. */
const SENT: readonly Sent[] = [
  ['a route of its own', '/health', /^200 .*ok/],
  [
    'POST',
    '/v1/projects',
    /^200 .*"sequence":"\d+"/,
    'application/json',
    '{"id":"portal","name":"Portal"}',
  ],
  ['GET', '/v1/projects/portal', /^200 .*"name":"Portal"/],
  ['a page of the console', '/admin/projects', /^200 .*<script type="module" src="\.\/assets\//s],
  ['the interface of the console', '/admin/api/v1/projects', /^200 .*"totalSize":1/],
  ['a body that is too large', '/v1/projects', /^413 /, 'application/json', ' '.repeat(2 ** 21)],
  ['health', '/v1/health', /^200 .*SERVING/],
  ['the document', '/openapi.json', /^200 .*"openapi":"3\.1/],
  [
    'gRPC-web',
    '/claviger.v1.ProjectService/GetProject',
    /^200 .*Portal.*grpc-status: 0/s,
    'application/grpc-web+proto',
    // Field 1, in 6 bytes.
    '\0\0\0\0\x08\x0a\x06portal',
  ],
  [
    'health in gRPC-web',
    '/grpc.health.v1.Health/Check',
    /^200 .*grpc-status: 0/s,
    'application/grpc-web+proto',
    '\0\0\0\0\0',
  ],
]

/** Calls the worker of the guide from outside, as its clients do. */
export const answersOfWorker = async (
  send: (path: string, init: object) => Promise<Response>,
): Promise<readonly (readonly [what: string, answered: string, isFine: boolean])[]> => {
  const answers: [string, string, boolean][] = []
  for (const [what, path, expected, type, body] of SENT) {
    const headers = { authorization: 'Bearer token', ...(type && { 'content-type': type }) }
    const init = body === undefined ? { headers } : { method: 'POST', headers, body }
    const response = await send(path, init)
    const answered = `${response.status} ${await response.text()}`
    answers.push([what, answered, expected.test(answered)])
  }
  return answers
}
