import type { DescField } from '@bufbuild/protobuf'
import type { MessageField, MessageFields } from '../../messages/message-fields.js'
import type { Operation } from '../../operations/operation.js'
import type { ResolvedOptions } from '../../options.js'
import { methodNotAllowed, unsupportedType } from '../http-answer.js'
import { type HttpService, isJson } from '../http-request.js'
import { httpRuleOf } from './http-rule.js'
import { type JsonAnswer, jsonCall } from './json-call.js'
import { createRouter, type Route } from './router.js'
import { pathFields, queryFields } from './url-fields.js'

/** A letter, a digit or one of `-._~` (RFC 3986, section 2.3): a host may guard the path that has it as it is. */
const NEEDLESSLY_ENCODED = /%(2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/i

/** JSON on the paths of REST. */
export const restService = (
  options: ResolvedOptions,
  operations: readonly Operation[],
): HttpService => {
  const router = createRouter(operations.flatMap((operation) => routesOf(options, operation)))
  return (method, path) => {
    if (NEEDLESSLY_ENCODED.test(path)) return undefined
    const found = router.find(method, path)
    if (found) return (request) => found.target(request, found.texts)
    const verbs = router.verbsOf(path)
    return verbs.length > 0 ? async () => methodNotAllowed(verbs) : undefined
  }
}

const routesOf = (options: ResolvedOptions, operation: Operation): readonly Route<JsonAnswer>[] => {
  const rule = httpRuleOf(operation.rpc)
  if (!rule) return []
  const { request } = operation
  const inPath = fieldsOf(request, rule.pathFields)
  const inQuery = fieldsOf(request, rule.queryFields)
  const answer = jsonCall(options, {
    operation,
    isBodyOptional: !rule.hasBody,
    // For a cache that stores answers in spite of `no-store`.
    header:
      rule.verb === 'GET' ? { vary: `Authorization, Cookie, ${options.organizationHeader}` } : {},
    urlFields: (texts, query) => ({
      ...pathFields(inPath, texts),
      ...(query !== '' && queryFields(inQuery, query)),
    }),
  })
  // Some clients name a type where there is no body.
  const answerJson: JsonAnswer = async (received, texts) =>
    isJson(received.header) ? answer(received, texts) : unsupportedType('application/json')
  return [[rule.verb, rule.template, rule.hasBody ? answerJson : answer]]
}

const fieldsOf = ({ all }: MessageFields, fields: readonly DescField[]): readonly MessageField[] =>
  fields.flatMap(({ name }) => all.find(({ protoName }) => protoName === name) ?? [])
