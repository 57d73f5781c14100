/** Where the console begins in the browser. */
import { effect } from "@preact/signals"
import { render } from "preact"
import { App } from "./App.tsx"
import { credential } from "./api/TabCredential.ts"
import { orgNames, chosenOrg, session } from "./state/ConsoleSession.ts"
import "../reference/style/common.css"
import "./style/base.css"
import "./style/shell.css"
import "./style/parts.css"
import "./style/pages.css"

// Nothing of whoever was signed in before is left for the next.
effect(() => {
  if (credential.value !== undefined) return
  session.value = undefined
  chosenOrg.value = undefined
  orgNames.value = new Map()
})

const frame = document.getElementById("console")!
frame.textContent = ""
render(<App />, frame)
