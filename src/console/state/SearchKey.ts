/** The key `/`: opens the payments and focuses their search from any page. */
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { hasAccess } from "./ConsoleSession.ts"
import { go, route } from "./HashRouter.ts"

/** Set until the page with the search has focused it. */
const wanted = signal(false)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("input, textarea, select, dialog, [contenteditable]") !== null

const onKey = (event: KeyboardEvent): void => {
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing
  if (event.key !== "/" || !plain || isTyping(event.target) || !hasAccess("transactions")) return
  event.preventDefault()
  wanted.value = true
  if (route.value.path !== "payments") go("payments")
}

export const useSearchKey = (): void =>
  useEffect(() => {
    addEventListener("keydown", onKey)
    return () => removeEventListener("keydown", onKey)
  }, [])

/** Focuses the field with this name once the key was pressed. */
export const useWantedSearch = (name: string): void =>
  useEffect(() => {
    if (!wanted.value) return
    wanted.value = false
    const field = document.querySelector<HTMLInputElement>(`input[name="${name}"]`)
    field?.focus()
    field?.select()
  }, [wanted.value, route.value.path])
