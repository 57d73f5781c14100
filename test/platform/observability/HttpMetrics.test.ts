import { Metric } from "effect"
import { describe, expect, it } from "vitest"
import { recordRequest, requestEnded, requestStarted } from "../../../src/platform/observability/Metrics.ts"
import { renderPrometheus } from "../../../src/platform/observability/Prometheus.ts"

const lines = () => renderPrometheus(Metric.unsafeSnapshot()).split("\n")

describe("HttpMetrics", () => {
  it("counts by method, route and status, and times by method and route", () => {
    recordRequest("POST", "/v1/payments-init/payin", 200, 0.003)
    recordRequest("POST", "/v1/payments-init/payin", 200, 0.02)
    recordRequest("POST", "/v1/payments-init/payin", 502, 11)
    recordRequest("GET", "/v1/payments-init/payin", 404, 0.0005)
    const page = lines()
    const route = 'route="/v1/payments-init/payin"'
    expect(page).toEqual(
      expect.arrayContaining([
        "# TYPE http_requests_total counter",
        `http_requests_total{method="POST",${route},status="200"} 2`,
        `http_requests_total{method="POST",${route},status="502"} 1`,
        `http_requests_total{method="GET",${route},status="404"} 1`,
        "# TYPE http_request_duration_seconds histogram",
        `http_request_duration_seconds_bucket{method="POST",${route},le="0.0025"} 0`,
        `http_request_duration_seconds_bucket{method="POST",${route},le="0.005"} 1`,
        `http_request_duration_seconds_bucket{method="POST",${route},le="10"} 2`,
        `http_request_duration_seconds_bucket{method="POST",${route},le="+Inf"} 3`,
        `http_request_duration_seconds_count{method="GET",${route}} 1`
      ])
    )
  })

  it("keeps one series for all methods it does not know", () => {
    for (let index = 0; index < 50; index++) recordRequest(`BREW${index}`, "/pot", 404, 0.001)
    expect(lines().filter((line) => line.startsWith("http_requests_total") && line.includes("/pot"))).toEqual([
      'http_requests_total{method="OTHER",route="/pot",status="404"} 50'
    ])
  })

  it("shows the requests in flight", () => {
    const name = "http_requests_in_flight "
    const inFlight = () =>
      Number(
        lines()
          .find((line) => line.startsWith(name))
          ?.slice(name.length) ?? 0
      )
    // Other files of the process may have left some.
    const before = inFlight()
    requestStarted()
    requestStarted()
    requestEnded()
    expect(inFlight()).toBe(before + 1)
    requestEnded()
    expect(inFlight()).toBe(before)
  })
})
