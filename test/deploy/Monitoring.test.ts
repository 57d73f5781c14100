/** Alert rules and dashboard are valid for Prometheus and Grafana, and name existing metrics. */
import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { paymentStatuses } from "../../src/domain/PaymentStatus.ts"
import { type AlertKind, alertKinds } from "../../src/platform/observability/OperatorAlert.ts"
import { dashboard, documented, expressions, metricsNamed, RULE_TESTS, RULES, rules } from "./Monitoring.ts"

const promtool = (...args: ReadonlyArray<string>) => spawnSync("promtool", [...args], { encoding: "utf8" })
const hasPromtool = promtool("--version").error === undefined

describe.skipIf(!hasPromtool)("promtool (part of Debian's prometheus; skipped if not installed)", () => {
  it("accepts the rules", () => {
    const { status, stderr, stdout } = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES)
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(`SUCCESS: ${rules.length} rules found`)])
  })

  it("confirms when the rules fire", () => {
    const { status, stderr, stdout } = promtool("test", "rules", RULE_TESTS)
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")])
  })

  it("accepts the configuration", () => {
    const { status, stderr } = promtool("check", "config", "deploy/prometheus/prometheus.yml")
    expect([status, stderr]).toEqual([0, ""])
  })
})

describe("the alert rules", () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined)

  it("have a summary, a runbook and a severity", () => {
    for (const { alert, annotations, labels } of alerts) {
      expect(Object.keys(annotations ?? {}).sort(), alert).toEqual(["description", "summary"])
      expect(["page", "ticket"], alert).toContain(labels?.["severity"])
    }
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  })

  it("cover every kind of operator alert", () => {
    const byOthers: Partial<Record<AlertKind, string>> = {
      circuit_opened: "CorridorProviderSilent",
      dead_letter: "CorridorDeadLetters",
      money_in_suspense: "CorridorMoneyInSuspense",
      two_primaries: "CorridorTwoPrimaries",
      worker_restarted: "CorridorWorkerDown"
    }
    const names = alerts.map(({ alert }) => alert)
    for (const name of Object.values(byOthers)) expect(names).toContain(name)
    const [, reported = ""] =
      /kind=~"([^"]*)"/.exec(alerts.find(({ alert }) => alert === "CorridorTrouble")!.expr) ?? []
    expect([...reported.split("|"), ...Object.keys(byOthers)].toSorted()).toEqual(alertKinds.toSorted())
  })

  it("are all in docs/operating.md, with what to do", () => {
    expect(documented("alerts")).toEqual(alerts.map(({ alert }) => alert))
  })

  it("select only the corridor job", () => {
    for (const expr of expressions) {
      const selectors = expr.replaceAll(/\bcorridor:[a-z0-9_:]+/g, "").match(/\b[a-z]+_[a-z0-9_]+\{|\bup\{/g) ?? []
      expect(expr.split('job="corridor"').length - 1, expr).toBe(selectors.length)
    }
  })
})

describe("the dashboard", () => {
  it("has panels without overlap, each with an id and a query", () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const taken = new Set<string>()
    for (const { gridPos, targets = [], title, type } of panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
      if (type !== "row") expect(targets.length, title).toBeGreaterThan(0)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false)
          taken.add(`${x} ${y}`)
        }
      }
    }
  })

  it("names existing metrics and statuses", () => {
    expect(metricsNamed.length).toBeGreaterThan(25)
    for (const expr of expressions.filter((one) => one.includes("corridor_payments_total"))) {
      for (const [, status] of expr.matchAll(/status="(\w+)"/g)) expect(paymentStatuses).toContain(status)
    }
  })
})
