/** Where the reader is: the part after the # of the address, and the part that is on the screen. */
import { current, drawn, menuOpen } from "./State.ts"

/** One that cannot be read stands for itself. */
const here = (): string => {
  const written = location.hash.slice(1)
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

/**
 * What is drawn as it comes near may push the part away that somebody went to, so it is held until they move, or until
 * nothing has moved it for as many pictures: half a second, and longer on a machine that draws slowly.
 */
const HELD_FRAMES = 30

let release = () => {}

const show = (id: string): void => {
  const element = document.getElementById(id)
  if (element === null) {
    if (drawn.value === Infinity) return
    drawn.value = Infinity
    setTimeout(() => show(id))
    return
  }
  release()
  let frames = HELD_FRAMES
  const align = () => {
    element.scrollIntoView({ block: "start" })
    frames = HELD_FRAMES
  }
  const observer = new ResizeObserver(align)
  const letGo = new AbortController()
  const wait = () => {
    if (letGo.signal.aborted) return
    if (frames-- > 0) requestAnimationFrame(wait)
    else release()
  }
  release = () => {
    observer.disconnect()
    letGo.abort()
  }
  observer.observe(document.body)
  for (const moved of ["wheel", "touchstart", "keydown", "pointerdown"]) {
    addEventListener(moved, release, { signal: letGo.signal, passive: true })
  }
  align()
  wait()
  current.value = id
}

export const goTo = (id: string): void => {
  menuOpen.value = false
  // After the key or the click that asks for it, which would count as a move away from it.
  if (here() === id) setTimeout(() => show(id))
  else location.hash = id
}

/** Once everything that has an address stands on the page. */
export const followAddress = (): void => {
  addEventListener("hashchange", () => {
    menuOpen.value = false
    show(here())
  })
  if (here() !== "") show(here())
}

/** The part in the upper fifth of the screen is the one that is being read. */
const reading = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) current.value = target.id
  },
  { rootMargin: "-10% 0px -80% 0px" }
)

/** Group by group, so that whoever reads or types meanwhile does not wait for all of them. */
export const drawRest = (groups: number): void => {
  for (const element of document.querySelectorAll(".entry")) reading.observe(element)
  if (drawn.value >= groups) drawn.value = Infinity
  else
    setTimeout(() => {
      drawn.value = drawn.value + 1
      setTimeout(() => drawRest(groups))
    })
}
