import { expect, it, onTestFinished, vi } from 'vitest'
import { call, outage } from '../../src/console/browser/api.js'

/** What the page makes of an answer, and the outage that it shows. */
const answered = async (answer: () => Promise<Response>) => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
  onTestFinished(() => {
    vi.restoreAllMocks()
    outage.value = undefined
  })
  const outcome = await call({ method: 'GET', path: '/v1/projects' })
  return {
    failure: 'failure' in outcome ? outcome.failure.status : undefined,
    outage: outage.value,
  }
}

const html = (status: number) => async () =>
  new Response('<html><h1>Bad gateway</h1></html>', {
    status,
    headers: { 'content-type': 'text/html' },
  })

it.each([200, 404, 502, 503, 504])(
  'A page of a proxy with status %i shows that the service is unavailable',
  async (status) => {
    expect(await answered(html(status))).toEqual({ failure: 503, outage: 'unavailable' })
  },
)

it('No answer at all shows that there is no connection', async () => {
  const refused = async () => Promise.reject(new TypeError('Failed to fetch'))
  expect(await answered(refused)).toEqual({ failure: 0, outage: 'offline' })
})

it('An answer of the host ends an outage', async () => {
  outage.value = 'offline'
  const answer = async () => Response.json({ projects: [] })
  expect(await answered(answer)).toEqual({ failure: undefined, outage: undefined })
})
