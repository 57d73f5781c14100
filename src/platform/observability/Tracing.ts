/**
 * Sends spans to an OpenTelemetry collector when the operator names one. Only spans: logs go to standard error and
 * metrics are scraped, and both are redacted there; this module redacts what the spans carry.
 */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Headers from "@effect/platform/Headers"
import * as HttpBody from "@effect/platform/HttpBody"
import { Effect, Layer, Option } from "effect"
import { redactText, secretHeaders } from "./Redaction.ts"
import { collectsSpans } from "./Spans.ts"

/** Addresses of others (webhook endpoints, hosted pages) carry tokens in their query. */
const withoutQuery = (url: string): string => url.replace(/[?#][^]*$/, "")

const redactAttribute = (key: string, text: string): string => {
  if (key === "url.query") return "[redacted]"
  return redactText(key === "url.full" || key === "http.url" || key === "http.target" ? withoutQuery(text) : text)
}

const falseAttributes: ReadonlySet<unknown> = new Set(["span.label", "status.interrupted"])

/** The replacer sees OTLP's JSON. Its numbers of nanoseconds are left alone: many of them look like card numbers. */
const redactOtlp = (member: string, value: unknown): unknown => {
  if (typeof value === "string") {
    return member === "stringValue" || member === "message" || member === "name" ? redactText(value) : value
  }
  // The exporter says of every span that failed that it was interrupted.
  if (member === "attributes" && Array.isArray(value)) return value.filter(({ key }) => !falseAttributes.has(key))
  if (typeof value !== "object" || value === null || !("key" in value) || !("value" in value)) return value
  const attribute: unknown = value.value
  if (typeof value.key !== "string" || typeof attribute !== "object" || attribute === null) return value
  if (!("stringValue" in attribute) || typeof attribute.stringValue !== "string") return value
  return { key: value.key, value: { stringValue: redactAttribute(value.key, attribute.stringValue) } }
}

const redactedJson = (data: unknown): HttpBody.HttpBody =>
  HttpBody.text(JSON.stringify(data, redactOtlp), "application/json")

const redactedSerialization = Layer.succeed(OtlpSerialization.OtlpSerialization, {
  traces: redactedJson,
  metrics: redactedJson,
  logs: redactedJson
})

/** `endpoint` is the collector's base URL, as OTEL_EXPORTER_OTLP_ENDPOINT has it. What is left goes out on shutdown. */
export const tracing = (options: {
  readonly endpoint: Option.Option<string>
  readonly version: string
  readonly instance: string
}): Layer.Layer<never> =>
  Option.match(options.endpoint, {
    // Spans that go nowhere are not made at all: they would cost a fifth of a request.
    onNone: () => Layer.setTracerEnabled(false),
    onSome: (endpoint) =>
      OtlpTracer.layer({
        url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
        resource: {
          serviceName: "corridor",
          serviceVersion: options.version,
          attributes: { "service.instance.id": options.instance }
        }
      }).pipe(
        Layer.provide([redactedSerialization, FetchHttpClient.layer]),
        Layer.merge(Layer.scopedDiscard(Effect.locallyScoped(Headers.currentRedactedNames, secretHeaders))),
        Layer.merge(Layer.scopedDiscard(Effect.locallyScoped(collectsSpans, true)))
      )
  })
