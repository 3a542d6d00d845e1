import type { DescField, DescMessage } from '@bufbuild/protobuf'

/** The field of a message that JSON, or a query, calls `name`: as JSON has it, or as its .proto file does. */
export const fieldNamed = (desc: DescMessage, name: string | undefined): DescField | undefined =>
  desc.fields.find((field) => field.jsonName === name || field.name === name)
