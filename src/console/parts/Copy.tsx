import { useState } from "preact/hooks"
import { Icon } from "./Icon.tsx"

const SHOWN_FOR = 1500

/** Browsers copy on pages that came safely, and from the machine itself; elsewhere there is nothing to press. */
const canCopy = "clipboard" in navigator

/** `what` is for those who hear the page. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [done, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_FOR)
  }
  if (!canCopy) return null
  return (
    <button
      class="copy"
      type="button"
      aria-label={done ? `${what} copied` : `Copy ${what}`}
      onClick={() => void copy()}
    >
      <Icon name={done ? "check" : "copy"} />
    </button>
  )
}
