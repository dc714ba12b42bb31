/* The fastest bash tool there could be: what ours is measured against. Reads {"command":"…"} (no escapes but \" and \\),
   prints {"output":"…","exit_code":n}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static char input[1 << 16], command[1 << 16];

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--schema") == 0) {
    puts("{\"name\":\"bash\",\"description\":\"Run a command\",\"parameters\":{\"type\":\"object\",\"properties\":"
         "{\"command\":{\"type\":\"string\"}},\"required\":[\"command\"]}}");
    return 0;
  }
  size_t length = fread(input, 1, sizeof input - 1, stdin);
  input[length] = 0;
  char *from = strstr(input, "\"command\"");
  if (!from || !(from = strchr(from + 9, ':')) || !(from = strchr(from, '"'))) return 1;
  char *to = command;
  for (from++; *from && *from != '"'; from++) {
    if (*from == '\\') from++;
    *to++ = *from;
  }
  FILE *pipe = popen(command, "r");
  if (!pipe) return 1;
  fputs("{\"output\":\"", stdout);
  int held = 0;
  for (int c; (c = getc(pipe)) != EOF;) {
    if (held) fputs("\\n", stdout);
    held = c == '\n';
    if (held) continue;
    if (c == '"' || c == '\\') putchar('\\');
    if (c < 0x20) printf("\\u%04x", c);
    else putchar(c);
  }
  int status = pclose(pipe);
  printf("\",\"exit_code\":%d}", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
