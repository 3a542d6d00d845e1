import { createGrpcWebTransport } from '@connectrpc/connect-web'

/** gRPC-web by the client of Connect, to a handler in the same process. */
export const inProcess = (handler: (request: Request) => Promise<Response>) =>
  createGrpcWebTransport({
    baseUrl: 'https://iam.example.com',
    fetch: (input, init) => handler(new Request(input, init)),
  })
