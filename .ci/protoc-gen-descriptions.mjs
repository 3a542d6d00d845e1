#!/usr/bin/env node
// A plugin of `buf generate`: the comments of services, messages and fields, by name, for the OpenAPI document.
import { createEcmaScriptPlugin, getComments, runNodeJs } from '@bufbuild/protoplugin'

const textOf = (desc) =>
  (getComments(desc).leading ?? '')
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()

const entriesOf = (file) => [
  ...file.services.flatMap((service) => [
    [service.typeName, service],
    ...service.methods.map((method) => [`${service.typeName}.${method.name}`, method]),
  ]),
  ...file.messages.flatMap((message) => [
    [message.typeName, message],
    ...message.fields.map((field) => [`${message.typeName}.${field.name}`, field]),
  ]),
  ...file.enums.map((listed) => [listed.typeName, listed]),
]

runNodeJs(
  createEcmaScriptPlugin({
    name: 'protoc-gen-descriptions',
    version: 'v1',
    generateTs: (schema) => {
      const output = schema.generateFile('descriptions_pb.ts')
      output.print(
        '/** What the comments of the .proto files say, by the full name of what they stand at. */',
      )
      output.print('export const descriptions: Readonly<Record<string, string>> = {')
      for (const file of schema.files.filter((found) => found.proto.package === 'claviger.v1'))
        for (const [name, desc] of entriesOf(file))
          output.print('  ', JSON.stringify(name), ': ', JSON.stringify(textOf(desc)), ',')
      output.print('}')
    },
  }),
)
