import { describe, expect, it } from 'vitest'
import {
  MembershipCommand,
  RemoveMembership,
  ReportMembership,
} from '../../../src/domain/membership/command-schemas.js'
import { describeCommand } from '../command-laws.js'
import { describeId } from '../field-laws.js'
import { objections, withField } from '../objections.js'
import { itIsRequired, notText } from '../presence-laws.js'
import { describeRequiredText } from '../text-laws.js'
import { id, reported } from './examples.js'

describe('ReportMembership', () => {
  const valid = { type: 'ReportMembership', data: { ...reported.data, isDue: false } }
  const of = { schema: ReportMembership, valid }
  describeCommand(of.schema, MembershipCommand, valid)
  describeId({ ...of, field: 'idpId' })
  describeRequiredText({ ...of, field: 'userId' })

  describe('groups', () => {
    const objectionsTo = (groups: unknown) =>
      objections(of.schema, withField(valid, 'groups', groups))
    const groups = Array.from({ length: 1_001 }, (_, index) => `group${index}`)
    itIsRequired({ ...of, field: 'groups' })

    it('keeps none to 1,000', () => {
      expect([[], groups.slice(1)].flatMap(objectionsTo)).toEqual([])
    })

    it('refuses 1,001, and what is not the name of a group', () => {
      expect(objectionsTo(groups)).toEqual(['data.groups: must have at most 1000 items'])
      expect(objectionsTo([''])).toEqual(['data.groups.0: must not be empty'])
      for (const group of notText)
        expect(objectionsTo(['staff', group])).toEqual(['data.groups.1: must be text'])
    })
  })

  it('says whether the report is due', () => {
    expect(of.schema.parse(withField(valid, 'isDue', true)).data.isDue).toBe(true)
    for (const isDue of [undefined, null, 1, 'true'])
      expect(objections(of.schema, withField(valid, 'isDue', isDue))).toEqual([
        expect.stringMatching('^data.isDue: '),
      ])
  })
})

describe('RemoveMembership', () => {
  const of = { schema: RemoveMembership, valid: { type: 'RemoveMembership', data: id } }
  describeCommand(of.schema, MembershipCommand, of.valid)
  describeId({ ...of, field: 'idpId' })
  describeRequiredText({ ...of, field: 'userId' })
})
