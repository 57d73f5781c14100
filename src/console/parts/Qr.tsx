import { encode } from "uqr"

/** As one path: each dark module is a square of it. */
export const Qr = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const { data, size } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${what}`}>
      <path d={squares.join("")} />
    </svg>
  )
}
