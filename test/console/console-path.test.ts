import { consolePath } from 'claviger/console'
import { expect, it } from 'vitest'

it.each([
  [consolePath('/admin', ''), '/admin/'],
  [consolePath('', 'review'), '/review'],
  [consolePath('/admin', 'user', { userId: 'a&b c/ö' }), '/admin/user?userId=a%26b+c%2F%C3%B6'],
  [
    consolePath('/admin', 'role', { projectId: 'portal', roleKey: 'x', projectOrgId: undefined }),
    '/admin/role?projectId=portal&roleKey=x',
  ],
])('links to a page of the console: %s', (path, expected) => {
  expect(path).toBe(expected)
})

it('refuses a page that the console does not have', () => {
  expect(() => consolePath('/admin', 'elsewhere' as 'user')).toThrow(/elsewhere/)
})
