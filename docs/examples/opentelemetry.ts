// Spans of OpenTelemetry. Run it with `node docs/examples/opentelemetry.ts`.
import { SpanStatusCode, trace } from '@opentelemetry/api'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { aesGcmCipher, createIam, type Hooks, memoryEventStore } from 'claviger'

// A real host has set up its SDK elsewhere.
const exporter = new InMemorySpanExporter()
const spanProcessors = [new SimpleSpanProcessor(exporter)]
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))

const tracer = trace.getTracer('claviger')
const hooks: Hooks = {
  onCall: ({ method, verdict, duration, attempts }) => {
    const attributes = { 'iam.verdict': verdict, 'iam.attempts': attempts }
    const span = tracer.startSpan(`iam.${method}`, { startTime: Date.now() - duration, attributes })
    if (verdict === 'Unavailable' || verdict === 'threw')
      span.setStatus({ code: SpanStatusCode.ERROR, message: verdict })
    span.end()
  },
  onFault: ({ kind, cause }) =>
    trace.getActiveSpan()?.addEvent('iam.fault', { kind, cause: cause?.name ?? '' }),
}

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true, hooks })
await iam.projects.add({ name: 'Portal' }, { caller: { userId: 'u1', orgId: 'acme' } })

const [span] = exporter.getFinishedSpans()
if (span?.name !== 'iam.projects.add') throw new Error('There is no span')
console.log(span.name, span.attributes)
