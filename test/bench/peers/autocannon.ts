import autocannon from 'autocannon'
import type { Http } from '../http/client.ts'

/** Makes calls over HTTP/1.1 for some seconds. @returns how many */
export const callHttp = async ({
  seconds,
  connections,
  port,
  bodyOf,
  isAnswer,
  ...request
}: Http) => {
  const { requests, non2xx, mismatches } = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    // How often it looks whether the time is over, in milliseconds.
    sampleInt: 50,
    ...(isAnswer && { verifyBody: (body) => isAnswer(String(body)) }),
    requests: [
      { ...request, ...(bodyOf && { setupRequest: (sent) => ({ ...sent, body: bodyOf() }) }) },
    ],
  })
  if (non2xx + mismatches > 0) throw new Error(`${non2xx + mismatches} calls were refused`)
  return requests.total
}
