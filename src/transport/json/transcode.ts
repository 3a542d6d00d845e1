import type { DescField } from '@bufbuild/protobuf'
import type {
  UniversalHandler,
  UniversalServerRequest,
  UniversalServerResponse,
} from '@connectrpc/connect/protocol'
import type { HttpRule } from './http-rule.js'
import { type JsonSource, jsonBody } from './json-body.js'
import { jsonResponse } from './json-response.js'
import { decoded, notAParameter, type Parameter, queryParameters } from './url-parameters.js'

/** A request whose body is bytes, as every server of ours makes it. */
export interface HttpRequest extends UniversalServerRequest {
  readonly body: AsyncIterable<Uint8Array>
}

/** Answers an HTTP request. */
export type Answer = (request: HttpRequest) => Promise<UniversalServerResponse>

/** Answers JSON at the path of `rule` with the rpc's own handler. */
export const transcode =
  (rule: HttpRule, handler: UniversalHandler): Answer =>
  (request) =>
    callJson(handler, request, {
      parameters: () => parametersOf(rule, new URL(request.url)),
      isOptional: !rule.hasBody,
    })

/** Answers JSON at the path of the rpc itself, which has no query. */
export const plainJson =
  (handler: UniversalHandler): Answer =>
  (request) =>
    callJson(handler, request, {
      parameters: () => queryOf(new URL(request.url).search, []),
      isOptional: false,
    })

const callJson = async (
  handler: UniversalHandler,
  request: HttpRequest,
  fromUrl: Pick<JsonSource, 'parameters' | 'isOptional'>,
): Promise<UniversalServerResponse> => {
  const header = new Headers(request.header)
  header.set('content-type', 'application/json')
  header.delete('content-length')
  const body = jsonBody({ ...fromUrl, desc: handler.method.input, body: request.body })
  return jsonResponse(await handler({ ...request, method: 'POST', header, body }))
}

const parametersOf = ({ pattern, queryFields }: HttpRule, { pathname, search }: URL) => {
  const path = Object.entries(pattern.exec(pathname)?.groups ?? {})
  return [
    ...path.map(([name, text]): Parameter => [name, decoded(text, name)]),
    ...queryOf(search, queryFields),
  ]
}

/** @throws ConnectError when a parameter is of none of the fields */
const queryOf = (search: string, fields: readonly DescField[]): readonly Parameter[] => {
  const query = queryParameters(search)
  const names = fields.flatMap(({ name, jsonName }) => [name, jsonName])
  for (const [name] of query)
    if (!names.includes(name.split('.')[0] ?? '')) throw notAParameter(name)
  return query
}
