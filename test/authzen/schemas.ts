import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

// Shapes of messages, after the Authorization API 1.0. Additional members are allowed everywhere.

const text = { type: 'string' } as const
const object = { type: 'object' } as const
const entity = (...required: readonly string[]) => ({
  type: 'object',
  properties: { type: text, id: text, name: text, properties: object },
  required,
})
const page = {
  type: 'object',
  properties: { token: text, limit: { type: 'integer', minimum: 0 }, properties: object },
}
const parts = {
  subject: entity('type', 'id'),
  action: entity('name'),
  resource: entity('type', 'id'),
  context: object,
}
const search = (own: object, required: readonly string[]) => ({
  type: 'object',
  properties: { ...parts, ...own, page },
  required,
})
const decision = {
  type: 'object',
  properties: { decision: { type: 'boolean' }, context: object },
  required: ['decision'],
}
const results = (item: object) => ({
  type: 'object',
  properties: {
    results: { type: 'array', items: item },
    page: { type: 'object', properties: { next_token: text }, required: ['next_token'] },
  },
  required: ['results'],
})
const all = ['subject', 'action', 'resource']
const url = { type: 'string', pattern: '^https://[^?#]+$' }

const SCHEMAS = {
  '/access/v1/evaluation': [{ type: 'object', properties: parts, required: all }, decision],
  '/access/v1/evaluations': [
    {
      type: 'object',
      properties: {
        subject: entity(),
        action: entity(),
        resource: entity(),
        context: object,
        evaluations: { type: 'array', items: object },
        options: {
          type: 'object',
          properties: {
            evaluations_semantic: {
              enum: ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'],
            },
          },
        },
      },
    },
    {
      anyOf: [
        decision,
        {
          type: 'object',
          properties: { evaluations: { type: 'array', items: decision } },
          required: ['evaluations'],
        },
      ],
    },
  ],
  '/access/v1/search/subject': [
    search({ subject: entity('type') }, all),
    results(entity('type', 'id')),
  ],
  '/access/v1/search/resource': [
    search({ resource: entity('type') }, all),
    results(entity('type', 'id')),
  ],
  '/access/v1/search/action': [search({}, ['subject', 'resource']), results(entity('name'))],
  '/.well-known/authzen-configuration': [
    {},
    {
      type: 'object',
      properties: {
        policy_decision_point: url,
        access_evaluation_endpoint: url,
        access_evaluations_endpoint: url,
        search_subject_endpoint: url,
        search_resource_endpoint: url,
        search_action_endpoint: url,
      },
      required: ['policy_decision_point', 'access_evaluation_endpoint'],
    },
  ],
} as const

const ajv = new Ajv2020({ strict: false })
const validators = new Map(
  Object.entries(SCHEMAS).map(([path, [request, answer]]) => [
    path,
    { request: ajv.compile(request), answer: ajv.compile(answer) },
  ]),
)

/** Checks a message of a path against its schema: a request that is answered, and every answer. */
export const expectShape = (path: string, kind: 'request' | 'answer', message: unknown): void => {
  const validate = validators.get(path)?.[kind]
  if (!validate) throw new Error(`No schema of ${path}`)
  validate(message)
  expect(validate.errors, `${kind} of ${path}: ${JSON.stringify(message)}`).toBeNull()
}

/** Whether a request has the shape that its path needs. */
export const isRequest = (path: string, message: unknown): boolean =>
  validators.get(path)?.request(message) === true
