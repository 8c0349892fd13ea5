/* Plain driver of the text kernels, to be built with sanitizers: fixed vectors, generated text, then every file named on the command line
   through the fuzz target.

   cc -std=c11 -g -fsanitize=address,undefined -Icsrc -o test_text csrc/tests/test_text.c csrc/{fold,stem,token,hash}.c */
#include "fuzz/fuzz_text.c"

static int failures;

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "failed: %s\n", what);
    failures++;
}

static void test_stems(void) {
    static const char *const pairs[][2] = {
        {"generously", "generous"}, {"hopping", "hop"}, {"dying", "die"}, {"skies", "sky"}, {"yearly", "year"}, {"proceeded", "proceed"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint8_t word[16];
        const size_t n = strlen(pairs[i][0]);
        memcpy(word, pairs[i][0], n);
        const size_t stem = mw_stem_english(word, n);
        expect(stem == strlen(pairs[i][1]) && memcmp(word, pairs[i][1], stem) == 0, pairs[i][0]);
    }
}

static void test_hash(void) { /* FIPS 180-4, "abc" */
    static const uint8_t abc[4] = {0xba, 0x78, 0x16, 0xbf};
    mw_sha256 hash;
    uint8_t digest[32];
    mw_sha256_open(&hash);
    mw_sha256_add(&hash, (const uint8_t *)"abc", 3);
    mw_sha256_close(&hash, digest);
    expect(memcmp(digest, abc, sizeof abc) == 0, "sha256 of abc");
}

static void test_terms(void) {
    static const char text[] = "The d\xC3\xA9m\xC3\xA9nageur's keys: don't lose them";
    static const char terms[] = "\3the\12demenageur\3key\4dont\4lose\4them";
    mw_buf out;
    mw_buf_open(&out, NULL, 0);
    expect(mw_terms((const uint8_t *)text, sizeof text - 1, MW_ENGLISH, &out) == MW_TEXT_OK, "terms");
    expect(out.length == sizeof terms - 1 && memcmp(out.data, terms, sizeof terms - 1) == 0, "terms of a sentence");
    mw_buf_close(&out);
}

/* Text of what the kernels treat apart: apostrophes, marks, jamo, emoji parts, stops, broken UTF-8. */
static void test_generated(unsigned rounds) {
    static const char *const bits[] = {
        "a", "S", "running ", "'", "\xE2\x80\x99", "'s ", "7", "#", "\xEF\xB8\x8F", "\xE2\x83\xA3", "\xE2\x80\x8D", "\xE2\x80\x8B", "\xCC\x81", "\xCC\xA3",
        "\xCD\x85", "\xC3\xA9", "\xD0\xB9", "\xCE\xB1", "\xC3\x9F", "\xE4\xB8\xAD", "\xE6\x96\x87", "\xE3\x82\xAB", "\xE3\x82\x99", "\xE1\x84\x92", "\xE1\x85\xA1",
        "\xE1\x86\xAB", "\xED\x95\x9C", "\xE0\xB8\x81", "\xE0\xB8\xB3", "\xE1\x9E\x81", "\xE1\x9F\x92", "\xE1\x80\xB9", "\xF0\x9F\x87\xBA", "\xF0\x9F\x91\xA9",
        "\xF0\x9F\x8F\xBD", "\xF3\xA0\x81\xA7", ". ", "?", "\n", "\xE3\x80\x82", "\xEF\xB7\xBA", "\xC2\xBD", "\xE2\x84\xA2", "\xFF", "\xE2\x82", "\xED\xA0\x80", "\0", " ",
    };
    uint64_t state = 88172645463325252u;
    uint8_t text[4096];
    for (unsigned round = 0; round < rounds; round++) {
        size_t size = 0;
        unsigned n = 1 + (unsigned)(state % (round % 50 == 0 ? 600 : 40));
        while (n-- > 0) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            const char *bit = bits[(state >> 20) % (sizeof bits / sizeof *bits)];
            const size_t length = *bit ? strlen(bit) : 1;
            if (size + length > sizeof text) break;
            memcpy(text + size, bit, length);
            size += length;
        }
        uint8_t *exact = malloc(size ? size : 1); /* so that the sanitizer sees a read past the end */
        if (exact == NULL) exit(2);
        memcpy(exact, text, size);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
}

static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return perror(path), 1;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    if (size < 0 || data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        free(data);
        fclose(file);
        return 1;
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return 0;
}

int main(int argc, char **argv) {
    test_stems();
    test_hash();
    test_terms();
    test_generated(20000);
    for (int i = 1; i < argc; i++) failures += replay(argv[i]);
    printf("text: %d files replayed, %d failures\n", argc - 1, failures);
    return failures != 0;
}
