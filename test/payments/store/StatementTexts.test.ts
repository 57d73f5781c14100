/** Texts of the statements that write payments: each has the parts that it is asked for, and there are few of them. */
import { expect, test } from "vitest"
import {
  applyStatement,
  type ChangePart,
  createStatement,
  type CreationPart
} from "../../../src/payments/store/PaymentWriteSql.ts"
import { type StatementOfParts, statementsOfParts } from "../../../src/platform/database/Batcher.ts"

const creation: ReadonlyArray<CreationPart> = ["key", "fees", "postings", "item", "attempt", "lock"]
const change: ReadonlyArray<ChangePart> = [
  "terms",
  "next_attempt",
  "events",
  "replaced",
  "movements",
  "allocations",
  "postings",
  "callback",
  "adopted",
  "close_items",
  "open_items",
  "lock"
]

const setsOf = <Part extends string>(parts: ReadonlyArray<Part>): ReadonlyArray<ReadonlySet<Part>> =>
  Array.from({ length: 2 ** parts.length }, (_, bits) => new Set(parts.filter((_part, at) => (bits >> at) % 2 === 1)))

const textsOf = <Part extends string>(
  parts: ReadonlyArray<Part>,
  statement: (needed: ReadonlySet<Part>) => StatementOfParts<Part>
): ReadonlySet<string> => {
  const texts = setsOf(parts).map((needed) => {
    const { parts: written, text } = statement(needed)
    expect(Array.from(needed).every((part) => written.has(part))).toBe(true)
    return text
  })
  return new Set(texts)
}

test("payments are created by few texts, whatever the rows of a batch need together", () => {
  expect(textsOf(creation, createStatement).size).toBeLessThanOrEqual(17)
})

test("payments are changed by few texts, whatever the rows of a batch need together", () => {
  expect(textsOf(change, applyStatement).size).toBeLessThanOrEqual(17)
})

test("a set of parts keeps its text, without the others while there are few", () => {
  const statement = statementsOfParts(change, (has) => change.filter(has).join(", "))
  const plain = new Set<ChangePart>(["events", "postings"])
  const { text } = statement(plain)
  expect(text).toBe("events, postings")
  for (const needed of setsOf(change)) statement(needed)
  expect(statement(plain).text).toBe(text)
  expect(applyStatement(new Set(change)).text).toContain("insert into events")
})
