import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { renderMarkdown } from "../../../src/contract/docs/Markdown.ts"
import { tagsOf, textOf } from "./Markup.ts"

const render = (text: string, topHeading = 3) => renderMarkdown(text, { topHeading }).markup

describe("renderMarkdown", () => {
  it("renders paragraphs, inline code, strong text and links", () => {
    expect(render("One `a<b` **two**\nlines.\n\nNext [page](https://example.com/a?b=1&c=2).")).toBe(
      '<p>One <code>a&lt;b</code> <strong>two</strong>\nlines.</p><p>Next <a href="https://example.com/a?b=1&amp;c=2" rel="noreferrer">page</a>.</p>'
    )
  })

  it("leaves addresses that could run something as text", () => {
    for (const address of ["javascript:alert(1)", "data:text/html,x", "//evil.example", "JaVaScRiPt:x", "vbscript:x"]) {
      expect(render(`[x](${address})`)).not.toContain("<a")
    }
  })

  it("renders nested lists, numbered and not", () => {
    expect(render("1. one\n2. two\n   - inner\n   - more").replace(/\s+/g, "")).toBe(
      "<ol><li>one</li><li>two<ul><li>inner</li><li>more</li></ul></li></ol>"
    )
  })

  it("keeps fenced code as it is, also what looks like a heading in it", () => {
    const page = render('```json\n# not a heading\n  {"a": 1}\n```\nafter')
    expect(page).toContain("<code># not a heading\n  {&quot;a&quot;: 1}</code>")
    expect(page).toContain("<p>after</p>")
    expect(page).not.toContain("<h")
  })

  it("renders tables, with a pipe that is escaped", () => {
    const tags = tagsOf(render("| a | b |\n|---|---|\n| `x` | y \\| z |"))
    expect(tags.filter((tag) => tag === "td" || tag === "th")).toEqual(["th", "th", "td", "td"])
    expect(textOf(render("| a | b |\n|---|---|\n| `x` | y \\| z |"))).toContain("y | z")
  })

  it("starts headings at the level it is told and never skips one", () => {
    expect(tagsOf(render("# a\n\n#### b\n\n## c", 2)).filter((tag) => tag.startsWith("h"))).toEqual(["h2", "h3", "h3"])
    expect(tagsOf(render("### a", 4)).filter((tag) => tag.startsWith("h"))).toEqual(["h4"])
  })

  it("sets the line about who may call apart, even without an empty line before it", () => {
    expect(render("Does it.\nWho may call it: `staff` and above.")).toBe(
      '<p>Does it.</p><p class="access"><strong>Who may call it</strong> <code>staff</code> and above.</p>'
    )
  })

  it("emits nothing but its own tags whatever the text is", () => {
    const fragments = fc.constantFrom(
      "<script>alert(1)</script>",
      "`",
      "``",
      "**",
      "[x](",
      ")",
      "javascript:x",
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "  ",
      "| a | b |\n|---|---|\n",
      "```\n",
      "# ",
      '" onload="x',
      "'",
      "&lt;",
      "<img src=x onerror=y>",
      "Who may call it: "
    )
    const text = fc.array(fc.oneof(fragments, fc.fullUnicodeString({ maxLength: 6 })), { maxLength: 25 })
    fc.assert(
      fc.property(text, (parts) => {
        tagsOf(render(parts.join("")))
      }),
      { numRuns: 500 }
    )
  })
})
