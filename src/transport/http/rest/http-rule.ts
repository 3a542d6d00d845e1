import { type DescField, type DescMethod, getOption } from '@bufbuild/protobuf'
import { rules } from '../../gen/claviger/v1/field_rules_pb.js'
import { http } from '../../gen/google/api/annotations_pb.js'

/** Where an rpc is found in plain HTTP, as its `google.api.http` annotation says. */
export interface HttpRule {
  readonly rpc: DescMethod
  /** `GET`, `PUT`, `PATCH`, `POST` or `DELETE`. */
  readonly verb: string
  /** Path with `{field}` for each field that it holds. */
  readonly template: string
  /** Fields of the path, in its order. */
  readonly pathFields: readonly DescField[]
  /** Fields that are, or are part of, query parameters. */
  readonly queryFields: readonly DescField[]
  /** Whether there must be a body; it holds the fields that path and query do not. */
  readonly hasBody: boolean
}

const VARIABLE = /\{(\w+)\}/g

/** The rule of `rpc`, or undefined when it has no annotation. */
export const httpRuleOf = (rpc: DescMethod): HttpRule | undefined => {
  const { pattern, body } = getOption(rpc, http)
  if (pattern.value === undefined) return undefined
  const template = pattern.value
  const names = [...template.matchAll(VARIABLE)].map(([, name]) => name)
  const rest = rpc.input.fields.filter(({ name }) => !names.includes(name))
  const hasBody = body === '*'
  return {
    rpc,
    verb: pattern.case.toUpperCase(),
    template,
    pathFields: names.flatMap(
      (name) => rpc.input.fields.find((field) => field.name === name) ?? [],
    ),
    queryFields: hasBody ? rest.filter((field) => getOption(field, rules).inQuery) : rest,
    hasBody,
  }
}
