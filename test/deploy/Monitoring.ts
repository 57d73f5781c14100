/** Files for Prometheus and Grafana, and the metrics in them. */
import { readFileSync } from "node:fs"
import { parse } from "yaml"

interface Rules {
  readonly groups: ReadonlyArray<{
    readonly name: string
    readonly rules: ReadonlyArray<{
      readonly alert?: string
      readonly record?: string
      readonly expr: string
      readonly labels?: Readonly<Record<string, string>>
      readonly annotations?: Readonly<Record<string, string>>
    }>
  }>
}

interface Dashboard {
  readonly panels: ReadonlyArray<{
    readonly id: number
    readonly title: string
    readonly type: string
    readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
    readonly targets?: ReadonlyArray<{ readonly expr: string }>
  }>
}

export const RULES = "deploy/prometheus/corridor.rules.yml"
export const RULE_TESTS = "deploy/prometheus/corridor.tests.yml"

export const rules = (parse(readFileSync(RULES, "utf8")) as Rules).groups.flatMap((group) => group.rules)
export const dashboard = JSON.parse(readFileSync("deploy/grafana/corridor.json", "utf8")) as Dashboard

const page = readFileSync("docs/operating.md", "utf8")

/** Names in the first column of a table. */
export const documented = (table: "metrics" | "alerts"): ReadonlyArray<string> => {
  const [, rows = ""] = new RegExp(`<!-- ${table} -->([^]*)<!-- /${table} -->`).exec(page) ?? []
  return Array.from(rows.matchAll(/^\| `(\w+)`/gm), ([, name]) => name!)
}

export const expressions: ReadonlyArray<string> = [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
]

const recorded = new Set(rules.flatMap(({ record }) => record ?? []))

/** Prefixes of our metrics; recorded rules are others. */
const NAME = /\b(?:corridor|http|db|nodejs|process|provider)_[a-z0-9_]+/g

/** Label values are no metrics. */
const withoutTexts = (expr: string): string => expr.replace(/"[^"]*"/g, "")

export const metricsNamed: ReadonlyArray<string> = Array.from(
  new Set(
    expressions
      .map(withoutTexts)
      .map((expr) => Array.from(recorded).reduce((rest, name) => rest.replaceAll(name, ""), expr))
      .flatMap((expr) => expr.match(NAME) ?? [])
  )
).sort()
