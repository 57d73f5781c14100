import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Content, escapeText, html } from "../../src/domain/Html.ts"

const decodeEntities = (markup: string): string =>
  markup
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

describe("html", () => {
  it("turns every interpolated string into text that reads the same", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), (text) => {
        const escaped = escapeText(text)
        expect(escaped).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/)
        expect(decodeEntities(escaped)).toBe(text)
        expect(html`<p title="${text}">${[text]}</p>`.markup).toBe(`<p title="${escaped}">${escaped}</p>`)
      })
    )
  })

  it("keeps markup of its own, numbers and lists, and leaves out what is absent", () => {
    const items: Content = [html`<li>${1}</li>`, undefined, false, [html`<li>&</li>`]]
    expect(html`<p>${items}</p>`.markup).toBe("<p><li>1</li><li>&</li></p>")
  })

  it("does not take an object that looks like markup for markup", () => {
    const forged = JSON.parse('{"markup":"<script>"}') as string
    expect(() => html`${forged}`.markup).toThrow()
  })

  it("drops the indentation of a template, never that of its contents", () => {
    const template = html
    expect(
      template`<div>
        ${"a\n    b"}
      </div>`.markup
    ).toBe("<div>\na\n    b\n</div>")
  })
})
