/** Keeps what was learned last, so much of it and no more: the oldest goes, and is learned again when it matters. */
export const setBounded = <Key, A>(kept: Map<Key, A>, most: number, key: Key, value: A): void => {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.size > most ? kept.keys() : []
  if (oldest !== undefined) kept.delete(oldest)
}
