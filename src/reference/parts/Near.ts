/** Tells a part of the page when a reader comes near it, once: what is far away costs nothing. */
import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

const waiting = new WeakMap<Element, () => void>()

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      observer.unobserve(target)
      waiting.get(target)?.()
    }
  },
  { rootMargin: "300px 0px" }
)

export const useNear = (): readonly [RefObject<HTMLElement | null>, boolean] => {
  const ref = useRef<HTMLElement>(null)
  const [near, setNear] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    waiting.set(element, () => setNear(true))
    observer.observe(element)
    return () => observer.unobserve(element)
  }, [])
  return [ref, near]
}
