/** Output on terminals: width of tables and help texts, colours, progress. */
import { Effect, Fiber, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { painter, showElapsed, Streams } from "../../src/cli/shared/Terminal.ts"
import { onTerminal } from "../../src/cli/shared/CommandHelp.ts"
import { tableLayout } from "../../src/cli/shared/Table.ts"

const ID = "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f"
const titles = ["ID", "STATUS", "WHAT HAPPENED"]
const rows = [
  [ID, "failed", "The provider did not answer within ten seconds, and nobody knows what became of it."],
  [ID, "ok", null]
]

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length))
const words = (text: string) =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .sort()

describe("a table", () => {
  const { fit, text } = tableLayout(titles, rows, "Nothing.")

  it("is as wide as it is without a terminal", () => {
    expect(text.split("\n")).toHaveLength(3)
    expect(widest(text)).toBeGreaterThan(120)
  })

  it("stays as it is on a terminal that is wide enough", () => expect(fit(200)).toBe(text))

  it("shows nothing that steers the terminal, or turns round what follows", () => {
    const shown = tableLayout(["A"], [["a\u001b[2J\u202eb\u2066c\u2028d"]], "Nothing.").text
    expect(shown).toContain("a·[2J·b·c·d")
  })

  it.each([120, 80, 70])("fits into %s columns, with every word and with whole ids", (columns) => {
    const fitted = fit(columns)
    expect(widest(fitted)).toBeLessThanOrEqual(columns)
    expect(fitted.match(new RegExp(ID, "g"))).toHaveLength(2)
    expect(words(fitted)).toEqual(words(text))
  })

  it("puts one field on a line where even that is too wide", () => {
    const fitted = fit(56)
    expect(widest(fitted)).toBeLessThanOrEqual(56)
    expect(fitted).toMatch(new RegExp(`^ID +${ID}$`, "m"))
    expect(fitted.split("\n\n")).toHaveLength(2)
  })

  it("leaves columns out that it can do without, and keeps as many as there is room for", () => {
    const columns = ["ID", "STATUS", "AMOUNT", "METHOD", "CREATED"]
    const row = [ID, "processing", "15000.00 KES", "mobile_money", "2026-11-16 16:46Z"]
    const spared = tableLayout(columns, [row, row], "", ["CREATED", "METHOD"])
    expect(spared.fit(200)).toBe(spared.text)
    expect(spared.fit(84).split("\n")[0]).toMatch(/^ID +STATUS +AMOUNT +CREATED$/)
    expect(spared.fit(80).split("\n")[0]).toMatch(/^ID +STATUS +AMOUNT +METHOD$/)
    expect(spared.fit(80).split("\n")).toHaveLength(3)
    expect(spared.fit(40)).toMatch(/^CREATED +2026-11-16 16:46Z$/m)
    // Where nothing stands in a column, there is the least to miss.
    const empty = tableLayout(columns, [[...row.slice(0, 4), null]], "", ["CREATED", "METHOD"])
    expect(empty.fit(80).split("\n")[0]).toMatch(/^ID +STATUS +AMOUNT +METHOD$/)
  })

  it("leaves them out before it puts one field on a line, though the others go on in the next line", () => {
    const columns = ["ID", "ORGANISATION", "URL", "STATUS"]
    const row = [ID, ID, `https://shop.example/${"a".repeat(30)}`, "active"]
    const spared = tableLayout(columns, [row], "", ["ORGANISATION"])
    expect(spared.fit(80).split("\n")[0]).toMatch(/^ID +URL +STATUS$/)
    expect(spared.fit(80).split("\n")).toHaveLength(3)
    expect(widest(spared.fit(80))).toBeLessThanOrEqual(80)
  })

  it("breaks what has no spaces, and says so when it is empty", () => {
    const url = `https://shop.example/${"a".repeat(80)}`
    expect(widest(tableLayout(["URL", "N"], [[url, "1"]], "").fit(40))).toBeLessThanOrEqual(40)
    expect(tableLayout(titles, [], "Nothing.").fit(10)).toBe("Nothing.")
  })
})

describe("a help text on a terminal", () => {
  const help = `USAGE\n$ corridor keys\n\nCOMMANDS\n  keys create  ${"word ".repeat(30)}end.\n\nEXAMPLES\n  $ corridor ${"x".repeat(90)}`

  it("goes on below the beginning of a long line, and leaves what is to be copied whole", () => {
    const shown = onTerminal(help, 60, painter({ colours: false }))
    expect(shown).toContain(`\n  $ corridor ${"x".repeat(90)}`)
    expect(shown).toMatch(/^ {15}word/m)
    expect(words(shown)).toEqual(words(help))
    expect(shown).not.toContain("\u001b")
  })

  it("has bold headings where the terminal shows colours", () => {
    expect(onTerminal(help, 60, painter({ colours: true }))).toContain("\u001b[1mUSAGE\u001b[22m")
  })
})

const written = async (watched: boolean) => {
  let text = ""
  const streams = { out: () => {}, err: (more: string) => void (text += more), watched }
  const run = Effect.gen(function* () {
    const fiber = yield* Effect.fork(showElapsed("Checking the books")(Effect.as(Effect.sleep("2500 millis"), "done")))
    yield* TestClock.adjust("500 millis")
    expect(text).toBe("")
    yield* TestClock.adjust("2 seconds")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provideService(Streams, streams), Effect.provide(TestContext.TestContext))
  expect(await Effect.runPromise(run)).toBe("done")
  return text
}

it("shows progress after a second on a terminal, and wipes it at the end", async () => {
  const text = await written(true)
  expect(text).toContain("Checking the books, 2 s")
  expect(text).toMatch(/\r.\[K$/)
})

it("shows no progress without a terminal", async () => expect(await written(false)).toBe(""))
