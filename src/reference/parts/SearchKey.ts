interface Pressed {
  readonly key: string
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
}

/** Ctrl K, or Cmd K: with Shift or Alt it is the browser's own. A caps lock makes another letter of it. */
export const isSearchKey = ({ altKey, ctrlKey, key, metaKey, shiftKey }: Pressed): boolean =>
  (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === "k"
