import { describe, expect, it } from 'vitest'
import { rememberingLast } from '../../../src/application/recording/remembering-last.js'

describe('A name that is remembered', () => {
  const named = () => {
    const asked: string[] = []
    const nameOf = rememberingLast((orgId, projectId) => {
      asked.push(`${orgId}+${projectId}`)
      return `${orgId}+${projectId}`
    })
    asked.splice(0)
    return { nameOf, asked }
  }

  it('is put together once for calls in a row', () => {
    const { nameOf, asked } = named()
    expect([nameOf('acme', 'portal'), nameOf('acme', 'portal')]).toEqual(
      Array(2).fill('acme+portal'),
    )
    expect(asked).toEqual(['acme+portal'])
  })

  it.each([
    ['organization', 'umbrella', 'portal'],
    ['project', 'acme', 'shop'],
  ])('is another one for another %s', (_, orgId, projectId) => {
    const { nameOf } = named()
    nameOf('acme', 'portal')
    expect(nameOf(orgId, projectId)).toBe(`${orgId}+${projectId}`)
    expect(nameOf('acme', 'portal')).toBe('acme+portal')
  })
})
