import { type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf'
import { rules } from '../gen/claviger/v1/field_rules_pb.js'

/** A field of a request, with what bounds it. */
export interface BoundedField {
  readonly desc: DescField
  /** Most items of a list, or most characters of a text; 0: no limit of its own. */
  readonly most: number
  /** Of the message that the field, or an item of it, is. */
  readonly fields?: BoundedFields
}

/** The fields of a message, by number and by both of their names. */
export type BoundedFields = ReadonlyMap<number | string, BoundedField>

/** The fields of `desc` and of the messages within it, of which none holds itself. */
export const boundedFields = (desc: DescMessage): BoundedFields => {
  const fields = new Map<number | string, BoundedField>()
  for (const field of desc.fields) {
    const bounded: BoundedField = {
      desc: field,
      most: getOption(field, rules).most || (field.fieldKind === 'list' ? LONGEST_LIST : 0),
      ...(field.message && { fields: boundedFields(field.message) }),
    }
    for (const key of [field.number, field.name, field.jsonName]) fields.set(key, bounded)
  }
  return fields
}

/** Of lists that have no limit of their own, which those of names in a mask are: more than there are names. */
const LONGEST_LIST = 1_000

/** Whether one value of the field is text. */
export const isText = ({ desc }: BoundedField): boolean => desc.scalar === ScalarType.STRING
