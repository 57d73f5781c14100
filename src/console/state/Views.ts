/** Searches that somebody wants to come back to; they are kept in this browser. */
import { signal } from "@preact/signals"

export interface View {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
}

const STORED = "corridor.views"

const isView = (value: unknown): value is View =>
  typeof value === "object" && value !== null && typeof (value as View).name === "string" && "query" in value

const read = (): ReadonlyArray<View> => {
  const text = localStorage.getItem(STORED)
  if (text === null) return []
  try {
    const found: unknown = JSON.parse(text)
    return Array.isArray(found) ? found.filter(isView) : []
  } catch (error) {
    console.warn("The saved views cannot be read", error)
    return []
  }
}

export const views = signal(read())

const keep = (all: ReadonlyArray<View>): void => {
  views.value = all
  localStorage.setItem(STORED, JSON.stringify(all))
}

/** One of the same name is replaced. */
export const saveView = (view: View): void => keep([...views.value.filter(({ name }) => name !== view.name), view])

export const forgetView = (name: string): void => keep(views.value.filter((view) => view.name !== name))
