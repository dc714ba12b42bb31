/** Terminal controls: titles, links, the clipboard, notifications, device queries, screens, the mouse, images. */
const vectors = [
  "\u001b]0;title\u0007",
  "\u001b]2;title\u001b\\",
  "\u001b]8;;http://evil/\u001b\\link\u001b]8;;\u001b\\",
  "\u001b]9;note\u0007",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b]1337;File=:AAAA\u0007",
  "\u001bP+q544e\u001b\\",
  "\u001b_Gf=32;AAAA\u001b\\",
  "\u001b^private\u001b\\",
  "\u001b[c\u001b[>c\u001b[6n\u001b[5n",
  "\u001b[2J\u001b[H\u001b[?1049h\u001b[?1000h\u001b[?25l",
  "\u001b[8m hidden \u001b[0m",
  "\u001bc",
  "\u009b2J\u009d0;title\u009c",
  "\u000e\u000f\u0005\u0008\u0008\u0008",
  "\u202etxt.exe\u202c\u2066x\u2069",
  "zero\u200bwidth\ufeff",
  "\u{e0065}\u{e0076}\u{e0069}\u{e006c}",
];
/** All of them in one text. */
export const evil = vectors.join(" ");
