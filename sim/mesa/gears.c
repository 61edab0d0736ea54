/* Three gears in OpenGL ES 2, without a window: gears [FRAMES].
 *
 * cc gears.c -o gears -lEGL -lGLESv2 -lm
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265f
enum { SIZE = 256, MOST = 20 * 4 * 4 * 6 };

static const char *const VERTEX_SHADER =
    "attribute vec3 place, normal; uniform mat4 turn, project; uniform vec3 colour; varying vec3 lit;"
    "void main() { vec3 n = normalize(mat3(turn) * normal);"
    "  lit = colour * (0.25 + 0.75 * max(dot(n, normalize(vec3(5.0, 5.0, 10.0))), 0.0));"
    "  gl_Position = project * turn * vec4(place, 1.0); }";
static const char *const FRAGMENT_SHADER =
    "precision mediump float; varying vec3 lit; void main() { gl_FragColor = vec4(lit, 1.0); }";

struct vertex {
    float place[3], normal[3];
};

struct gear {
    struct vertex vertices[MOST];
    int count;
};

static void fail(const char *what)
{
    fprintf(stderr, "gears: %s\n", what);
    exit(1);
}

/* Two triangles, with the normal of the first. */
static void quad(struct gear *gear, const float corners[4][3])
{
    float a[3], b[3], normal[3];
    for (int axis = 0; axis < 3; axis++) {
        a[axis] = corners[1][axis] - corners[0][axis];
        b[axis] = corners[2][axis] - corners[0][axis];
    }
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = a[(axis + 1) % 3] * b[(axis + 2) % 3] - a[(axis + 2) % 3] * b[(axis + 1) % 3];
    static const int ORDER[] = {0, 1, 2, 0, 2, 3};
    for (int index = 0; index < 6; index++, gear->count++)
        for (int axis = 0; axis < 3; axis++) {
            gear->vertices[gear->count].place[axis] = corners[ORDER[index]][axis];
            gear->vertices[gear->count].normal[axis] = normal[axis];
        }
}

/* Around the axis in steps of a quarter of a tooth: its rim goes up, stays, goes down, stays. */
static void make(struct gear *gear, float inner, float outer, float width, int teeth, float depth)
{
    gear->count = 0;
    for (int step = 0; step < 4 * teeth; step++) {
        float places[2][2][2]; /* at the step and the next one; inner and outer; x and y */
        for (int end = 0; end < 2; end++) {
            int quarter = (step + end) % 4;
            float angle = (step + end) * 2 * PI / (4 * teeth);
            float rim = outer + (quarter == 1 || quarter == 2 ? depth : -depth) / 2;
            for (int edge = 0; edge < 2; edge++) {
                places[end][edge][0] = (edge ? rim : inner) * cosf(angle);
                places[end][edge][1] = (edge ? rim : inner) * sinf(angle);
            }
        }
#define AT(end, edge, z) {places[end][edge][0], places[end][edge][1], (z) * width / 2}
        quad(gear, (const float[4][3]){AT(0, 0, 1), AT(0, 1, 1), AT(1, 1, 1), AT(1, 0, 1)});
        quad(gear, (const float[4][3]){AT(0, 1, 1), AT(0, 1, -1), AT(1, 1, -1), AT(1, 1, 1)});
        quad(gear, (const float[4][3]){AT(0, 0, -1), AT(0, 0, 1), AT(1, 0, 1), AT(1, 0, -1)});
        quad(gear, (const float[4][3]){AT(0, 0, -1), AT(1, 0, -1), AT(1, 1, -1), AT(0, 1, -1)});
#undef AT
    }
}

/* result = left * right, by columns. */
static void multiply(float result[16], const float left[16], const float right[16])
{
    for (int place = 0; place < 16; place++) {
        result[place] = 0;
        for (int index = 0; index < 4; index++)
            result[place] += left[4 * index + place % 4] * right[place / 4 * 4 + index];
    }
}

static void rotation(float result[16], int axis, float degrees)
{
    float c = cosf(degrees * PI / 180), s = sinf(degrees * PI / 180);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    for (int place = 0; place < 16; place++)
        result[place] = place % 5 == 0;
    result[5 * a] = result[5 * b] = c;
    result[4 * a + b] = s;
    result[4 * b + a] = -s;
}

static void start(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
        fail("there is no EGL without windows");
    EGLContext context =
        eglCreateContext(display, NULL, EGL_NO_CONTEXT, (EGLint[]){EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE});
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        fail("there is no OpenGL ES 2");
    GLuint frame, buffers[2];
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(2, buffers);
    for (int index = 0; index < 2; index++) {
        glBindRenderbuffer(GL_RENDERBUFFER, buffers[index]);
        glRenderbufferStorage(GL_RENDERBUFFER, index ? GL_DEPTH_COMPONENT16 : GL_RGBA8_OES, SIZE, SIZE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, index ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                  buffers[index]);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        fail("there is no such frame buffer");
}

static GLuint program(void)
{
    GLuint made = glCreateProgram();
    for (int index = 0; index < 2; index++) {
        GLuint shader = glCreateShader(index ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        glShaderSource(shader, 1, index ? &FRAGMENT_SHADER : &VERTEX_SHADER, NULL);
        glCompileShader(shader);
        glAttachShader(made, shader);
    }
    glBindAttribLocation(made, 0, "place");
    glBindAttribLocation(made, 1, "normal");
    glLinkProgram(made);
    GLint linked;
    glGetProgramiv(made, GL_LINK_STATUS, &linked);
    if (!linked)
        fail("the shaders do not link");
    glUseProgram(made);
    return made;
}

int main(int argc, char **argv)
{
    static struct gear gears[3];
    static const struct {
        float x, y, speed, phase, colour[3];
    } SCENE[3] = {{-3, -2, 1, 0, {0.8f, 0.1f, 0}}, {3.1f, -2, -2, -9, {0, 0.8f, 0.2f}}, {-3.1f, 4.2f, -2, -25, {0.2f, 0.2f, 1}}};
    start();
    make(&gears[0], 1, 4, 1, 20, 0.7f);
    make(&gears[1], 0.5f, 2, 2, 10, 0.7f);
    make(&gears[2], 1.3f, 2, 0.5f, 10, 0.7f);
    GLuint made = program();
    float near = 5, far = 60, project[16] = {near, 0, 0, 0, 0, near};
    project[10] = -(far + near) / (far - near);
    project[11] = -1;
    project[14] = -2 * far * near / (far - near);
    glUniformMatrix4fv(glGetUniformLocation(made, "project"), 1, GL_FALSE, project);
    glViewport(0, 0, SIZE, SIZE);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    for (int frame = 0, frames = argc > 1 ? atoi(argv[1]) : 3; frame < frames; frame++) {
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        for (int index = 0; index < 3; index++) {
            float x[16], y[16], z[16], view[16], turn[16];
            rotation(x, 0, 20);
            rotation(y, 1, 30);
            rotation(z, 2, SCENE[index].speed * 5 * frame + SCENE[index].phase);
            multiply(view, x, y);
            view[14] = -40;
            z[12] = SCENE[index].x;
            z[13] = SCENE[index].y;
            multiply(turn, view, z);
            glUniformMatrix4fv(glGetUniformLocation(made, "turn"), 1, GL_FALSE, turn);
            glUniform3fv(glGetUniformLocation(made, "colour"), 1, SCENE[index].colour);
            glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(struct vertex), gears[index].vertices[0].place);
            glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(struct vertex), gears[index].vertices[0].normal);
            glDrawArrays(GL_TRIANGLES, 0, gears[index].count);
        }
        glFinish();
    }
    return 0;
}
