/** Where the API reference begins in the browser: reads the OpenAPI document and draws it. */
import { render } from "preact"
import { App } from "./App.tsx"
import { contentsOf } from "./document/Contents.ts"
import { readExact } from "./document/ExactJson.ts"
import type { Document } from "./document/Shape.ts"
import "./style/common.css"
import "./style/base.css"
import "./style/layout.css"
import "./style/parts.css"

interface Configuration {
  readonly url: string
  readonly servers: readonly [{ readonly url: string }]
}

const frame = document.getElementById("reference")!

const draw = async ({ servers: [{ url: server }], url }: Configuration): Promise<void> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The OpenAPI document is answered with ${response.status}.`)
  const read = readExact(await response.text()) as Document
  frame.textContent = ""
  render(<App reference={{ document: read, groups: contentsOf(read), server }} />, frame)
}

draw(JSON.parse(frame.dataset["configuration"]!) as Configuration).catch((error: unknown) => {
  frame.textContent = `The reference cannot be shown; load the page again. ${String(error)}`
})
