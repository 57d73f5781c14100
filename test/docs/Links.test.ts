/** Links and file names in the pages lead to existing files and headings. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { pages } from "./Pages.ts"

const linksOf = (page: string) =>
  Array.from(
    readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
    ([, path, anchor]) => ({
      page,
      to: path === "" || path === undefined ? page : join(dirname(page), path),
      anchor
    })
  )

/** Anchors of headings, as code hosts name them. */
const anchorsOf = (page: string) =>
  Array.from(readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm), ([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-")
  )

const links = [...pages, "CHANGELOG.md"].flatMap(linksOf)

it("every link leads to a file, and to a heading of it", () => {
  expect(links.length).toBeGreaterThan(60)
  const broken = links.filter(({ anchor, to }) => {
    if (!existsSync(to)) return true
    return anchor !== undefined && !anchorsOf(to).includes(anchor)
  })
  expect(broken).toEqual([])
})

it("every page of docs/ is listed in docs/guides.md, which the README links to", () => {
  expect(linksOf("README.md").map(({ to }) => to)).toContain("docs/guides.md")
  const led = new Set(["docs/guides.md", ...linksOf("docs/guides.md").map(({ to }) => to)])
  expect(pages.filter((page) => page.startsWith("docs/") && !led.has(page))).toEqual([])
})

it("the pages name only files and folders that exist", () => {
  const named = [...pages, "CHANGELOG.md"].flatMap((page) =>
    Array.from(
      readFileSync(page, "utf8").matchAll(/`((?:src|test|scripts|migrations)\/[\w./-]*\w)`/g),
      ([, path]) => `${page}: ${path}`
    )
  )
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((one) => !existsSync(one.split(": ")[1]!))).toEqual([])
})
