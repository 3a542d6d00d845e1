import type { DescEnum } from '@bufbuild/protobuf'

/** A value of an enumeration. */
export interface EnumValue {
  /** In JSON and in the .proto file. */
  readonly name: string
  /** In protobuf. */
  readonly number: number
  /** In the library; undefined where it has none. */
  readonly value: string | undefined
}

/** The values of an enumeration. */
export interface EnumValues {
  /** By name and by number. */
  readonly received: ReadonlyMap<unknown, EnumValue>
  readonly byValue: ReadonlyMap<unknown, EnumValue>
  /** What is wrong with any other value. */
  readonly expectation: string
}

/** States are the enumerations whose values have other names in the library. */
const STATES: Readonly<Record<string, string | undefined>> = {
  STATE_UNSPECIFIED: undefined,
  STATE_ACTIVE: 'active',
  STATE_INACTIVE: 'inactive',
  DOMAIN_STATE_UNSPECIFIED: undefined,
  DOMAIN_STATE_PENDING: 'pending',
  DOMAIN_STATE_VERIFIED: 'verified',
}

/** The values of an enumeration. */
export const enumValues = (desc: DescEnum): EnumValues => {
  const all = desc.values.map(({ name, number }): EnumValue => {
    const value = Object.hasOwn(STATES, name) ? STATES[name] : name
    return { name, number, value }
  })
  return {
    received: new Map(
      all.flatMap((value) => [value.name, value.number].map((key) => [key, value] as const)),
    ),
    byValue: new Map(all.map((value) => [value.value, value])),
    expectation: `must be one of ${all.map(({ name }) => name).join(', ')}`,
  }
}
