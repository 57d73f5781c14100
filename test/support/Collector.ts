/** A minimal trace collector: takes OTLP over HTTP and keeps the spans. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

type Value = { readonly stringValue?: string; readonly intValue?: string | number; readonly doubleValue?: number }

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Value }>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
  readonly status: { readonly code: number; readonly message?: string }
}

interface Exported {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<CollectedSpan> }>
  }>
}

export const attributesOf = ({ attributes }: CollectedSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.doubleValue ?? Number(value.intValue)])
  )

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

export interface Collector {
  readonly url: string
  readonly spans: ReadonlyArray<CollectedSpan>
  readonly close: () => void
}

export const openCollector = async (): Promise<Collector> => {
  const spans: Array<CollectedSpan> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const { resourceSpans } = JSON.parse(text) as Exported
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
