/** What the parts of the page share: the document, what a reader has typed, and where the reader is. */
import { signal } from "@preact/signals"
import type { Group } from "../document/Contents.ts"
import type { Document } from "../document/Shape.ts"

export interface Reference {
  readonly document: Document
  readonly groups: ReadonlyArray<Group>
  /** Where requests go: the server that the page came from, whatever the document says. */
  readonly server: string
}

/** They stay in this page, and are gone when it is. */
export const authorization = signal("NONE")
export const apiKey = signal("")

/** The label of the sample that is shown at every operation. */
export const language = signal("curl")

/** The id of the part that is being read. */
export const current = signal("")

/** How many groups stand on the page: the rest follows when the first can be read. */
export const drawn = signal(1)

export const menuOpen = signal(false)
export const searchOpen = signal(false)
