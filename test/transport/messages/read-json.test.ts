import { ProjectService } from 'claviger/client'
import { expect, it } from 'vitest'
import { openHost, violationsIn } from '../http-client.js'

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'A field called %s is unknown, and changes no prototype',
  async (name) => {
    const { call } = await openHost()
    const body = `{"name":"P","${name}":{"hasProjectCheck":true}}`
    const description = 'is not a field of the request'
    const put = await call('PUT', '/v1/projects/portal', body)
    expect(violationsIn(put.json)).toEqual({ [name]: description })
    const filter = `{"filter":{"${name}":{}}}`
    const { typeName } = ProjectService
    const list = await call('POST', `/${typeName}/ListProjects`, filter)
    expect(violationsIn(list.json)).toEqual({ [`filter.${name}`]: description })
    expect(Object.hasOwn(Object.prototype, 'hasProjectCheck')).toBe(false)
  },
)

it('A property name that every object has is not a query parameter', async () => {
  const { call } = await openHost()
  for (const name of ['__proto__', '__proto__.pageSize', 'constructor', 'filter.toString'])
    expect((await call('GET', `/v1/projects?${name}=1`)).status).toBe(400)
})
